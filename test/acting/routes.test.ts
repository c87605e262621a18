import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, Post } from '@nestjs/common';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { Role } from '../../src/http/role.js';
import { Personal, Public, RequiresStepUp, WhileActing } from '../../src/latchkey.js';
import { Browser } from '../support/browser.js';
import { actedFor, crowd, emptyOrg, type Person } from '../support/crowd.js';
import { documentedRoutes } from '../support/routes.js';
import { TestApp } from '../support/test-app.js';
import { TOKENS } from '../support/token-keys.js';

/** Opens the routes that are closed without these settings. */
const SETTINGS = {
  ...TOKENS,
  SVC_ACTING: 'on',
  SVC_EMAIL_CODE_LOGIN: 'on',
  SVC_STRIPE_SECRET_KEY: 'sk_test_1',
  SVC_STRIPE_WEBHOOK_SECRET: 'whsec_1',
  SVC_IDP_CLIENT_ID: 'latchkey',
  SVC_IDP_CLIENT_SECRET: 'never presented',
  SVC_AI_API_KEY: 'sk-never-presented',
  SVC_AI_BASE_URL: 'http://127.0.0.1:1',
};

/** All that does more than read and is open to an admin who acts for a user. A new route is in neither list, and closed. */
const OPEN_TO_ALL = ['POST /auth/logout', 'POST /auth/stop-acting'];
const OPEN_TO_WRITERS = [
  'POST /ai/activity-summary',
  'PATCH /orgs/:org_id',
  'POST /orgs/:org_id/invitations',
  'POST /orgs/:org_id/invitations/many',
  'DELETE /orgs/:org_id/invitations/:id',
  'POST /orgs/:org_id/invitations/:id/resend',
  'PATCH /orgs/:org_id/members/:user_id',
  'POST /sessions/token',
];

/** What only the user may do: passwords, factors, addresses, billing, deletion, and whatever ends sessions. */
const OF_THE_USER =
  /^(POST|PUT|PATCH|DELETE) \/(password|users\/me|subscription|auth\/step-up|sessions(\/:id)?$)|^DELETE \/orgs\/:org_id(\/members|$)/;

const reads = (route: string) => route.startsWith('GET ');
const B2C = parseEnvironment({ SVC_ENVIRONMENT: 'dev', ...SETTINGS });
const B2B_ONLY = documentedRoutes.filter(({ isOpen }) => !isOpen(B2C)).map(({ name }) => name);
const NOT_PUBLIC = documentedRoutes.filter(({ isPublic }) => !isPublic);

@Controller('reports')
class ReportsController {
  @Get()
  list() {
    return { data: [] };
  }

  @Post()
  add() {
    return {};
  }

  @Post('personal')
  @Personal()
  addPersonal() {
    return {};
  }

  @Get('secret')
  @WhileActing('none')
  readSecret() {
    return {};
  }

  @Post('danger')
  @WhileActing('all')
  @RequiresStepUp()
  endanger() {
    return {};
  }

  @Post('harmless')
  @WhileActing('all')
  doNoHarm() {
    return {};
  }

  @Post('public')
  @Public()
  addPublic() {
    return {};
  }
}

@Module({ controllers: [ReportsController] })
class ReportsModule {}

@Module({ imports: [ReportsModule] })
class ProductModule {}

let app: TestApp;
let b2b: TestApp;
let withProduct: TestApp;
let orgId: string;
let looking: Person;
let writing: Person;
beforeAll(async () => {
  app = await TestApp.start(SETTINGS);
  b2b = await TestApp.start({ ...SETTINGS, SVC_APP_MODE: 'b2b' }, { database: app.database });
  withProduct = await TestApp.start(SETTINGS, {
    database: app.database,
    product: { modules: [ProductModule] },
  });
  orgId = await emptyOrg(app.database);
  const [one, other] = (await crowd(app.database, 2, { role: Role.ORG_ADMIN, orgId })) as [Person, Person];
  looking = await actedFor(app.database, one, { orgId, mayWrite: false });
  writing = await actedFor(app.database, other, { orgId, mayWrite: true });
});
afterAll(async () => {
  await withProduct.nest.close();
  await b2b.nest.close();
  await app.close();
});
afterEach(async () => {
  await app.database.rows('UPDATE sessions SET invalidated_at = NULL');
});

/** Sends a request that no handler takes, and returns the code of the answer. */
async function codeOf({ cookie }: Person, route: string, service = app): Promise<string | undefined> {
  const [method = '', path = ''] = route.split(' ');
  const url = path.replace(':org_id', orgId).replace(/:\w+/g, 'no-id');
  const body = ['POST', 'PUT', 'PATCH'].includes(method) ? { unknown: true } : undefined;
  const sent = await new Browser(service.nest).send(method as 'GET', url, body, { cookie });
  return sent.body?.code;
}

const serviceOf = (route: string) => (B2B_ONLY.includes(route) ? b2b : app);

describe('a route of the service, to an admin who acts for a user', () => {
  it('is closed where it is about passwords, factors, addresses, billing, or deletion', () => {
    const ofTheUser = NOT_PUBLIC.map(({ name }) => name).filter((name) => OF_THE_USER.test(name));

    expect(ofTheUser.length).toBeGreaterThan(20);
    expect(ofTheUser.filter((name) => [...OPEN_TO_ALL, ...OPEN_TO_WRITERS].includes(name))).toEqual([]);
  });

  it.each(NOT_PUBLIC)('$name', async ({ name, minRole, needsStepUp }) => {
    const ofLooking = await codeOf(looking, name, serviceOf(name));
    const ofWriting = await codeOf(writing, name, serviceOf(name));
    const isOpenToReaders = OPEN_TO_ALL.includes(name) || (reads(name) && !needsStepUp);

    expect([ofLooking, ofWriting]).not.toContain('Unauthenticated');
    // Nobody acts for a SYSTEM_ADMIN.
    if (minRole === Role.SYSTEM_ADMIN)
      expect([ofLooking, ofWriting]).toEqual(['InsufficientRole', 'InsufficientRole']);
    else if (name === 'GET /sessions/verify')
      expect([ofLooking, ofWriting]).toEqual(['NotWhileActing', undefined]);
    else
      expect([ofLooking, ofWriting].map((code) => code === 'NotWhileActing')).toEqual([
        !isOpenToReaders,
        !isOpenToReaders && !OPEN_TO_WRITERS.includes(name),
      ]);
  });
});

describe('a route of a product', () => {
  it.each([
    ['GET /reports', true, true],
    ['POST /reports', false, true],
    ['POST /reports/personal', false, true],
    ['GET /reports/secret', false, false],
    ['POST /reports/danger', false, false],
    ['POST /reports/harmless', true, true],
    ['POST /reports/public', true, true],
  ])('%s is open to who looks: %s, to who writes: %s', async (route, toLooking, toWriting) => {
    expect([
      (await codeOf(looking, route, withProduct)) !== 'NotWhileActing',
      (await codeOf(writing, route, withProduct)) !== 'NotWhileActing',
    ]).toEqual([toLooking, toWriting]);
  });
});
