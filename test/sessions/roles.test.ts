import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { Role } from '../../src/http/role.js';
import { MinRole, Public } from '../../src/http/route.js';
import { giveRole, loggedIn } from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { TestApp } from '../support/test-app.js';

/** A route for each role, as a product would add its own. */
@Controller('probe')
class Probe {
  @Get('readonly')
  @MinRole(Role.READONLY)
  forReadonly() {
    return {};
  }

  @Get('member')
  @MinRole(Role.MEMBER)
  forMember() {
    return {};
  }

  @Get('org_admin')
  @MinRole(Role.ORG_ADMIN)
  forOrgAdmin() {
    return {};
  }

  @Get('sys_admin')
  @MinRole(Role.SYSTEM_ADMIN)
  forSystemAdmin() {
    return {};
  }

  @Get('any')
  forAnySession() {
    return {};
  }

  @Get('public')
  @Public()
  forAnyone() {
    return {};
  }
}

@Controller('strict')
@MinRole(Role.SYSTEM_ADMIN)
class StrictProbe {
  @Get()
  asTheClassSays() {
    return {};
  }

  @Get('member')
  @MinRole(Role.MEMBER)
  asTheMethodSays() {
    return {};
  }
}

@Module({ controllers: [Probe, StrictProbe] })
class Product {}

const BY_PRECEDENCE = [Role.READONLY, Role.MEMBER, Role.ORG_ADMIN, Role.SYSTEM_ADMIN];

let app: TestApp;
let browser: Browser & { email: string };
beforeAll(async () => {
  app = await TestApp.start(
    {},
    {
      product: { modules: [Product] },
    },
  );
  browser = await loggedIn(app);
});
afterAll(() => app.close());

const become = (role: Role) => giveRole(app.database, browser.email, role);

describe.each(BY_PRECEDENCE)('a %s', (role) => {
  it.each(BY_PRECEDENCE)('is compared by precedence where a route requires %s', async (required) => {
    await become(role);

    const answer = await browser.get(`/probe/${required}`);

    const isEnough = BY_PRECEDENCE.indexOf(role) >= BY_PRECEDENCE.indexOf(required);
    expect([answer.status, answer.body.code]).toEqual(
      isEnough ? [200, undefined] : [403, 'InsufficientRole'],
    );
  });

  it('may call what requires a session and no role', async () => {
    await become(role);

    expect((await browser.get('/probe/any')).status).toBe(200);
  });
});

describe('a required role', () => {
  it('applies from the next request on when the role changes', async () => {
    await become(Role.ORG_ADMIN);
    expect((await browser.get('/probe/org_admin')).status).toBe(200);

    await become(Role.MEMBER);
    expect((await browser.get('/probe/org_admin')).status).toBe(403);
    expect((await browser.get('/users/me')).body.user.role).toBe('member');
  });

  it('holds for a whole controller, unless a method names its own', async () => {
    await become(Role.MEMBER);
    expect((await browser.get('/strict')).status).toBe(403);
    expect((await browser.get('/strict/member')).status).toBe(200);
  });

  it.each([...BY_PRECEDENCE, 'any'])('needs a session, so that %s answers 401 without one', async (route) => {
    const answer = await app.browser().get(`/probe/${route}`);
    expect([answer.status, answer.body.code]).toEqual([401, 'Unauthenticated']);
  });

  it('is not checked on a public route, nor is a session', async () => {
    expect((await app.browser().get('/probe/public')).status).toBe(200);
    expect((await app.browser().get('/probe/public', { cookie: 'session_id=stale' })).status).toBe(200);
  });
});
