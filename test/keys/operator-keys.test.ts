import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { CurrentOrgId, CurrentPrincipal, CurrentUser, type Principal } from '../../src/http/caller.js';
import { Role } from '../../src/http/role.js';
import { AcceptsKeys, MinRole, Requires, RequiresSubscription } from '../../src/http/route.js';
import { isKey, mintKey } from '../../src/secrets/key-form.js';
import type { Product } from '../../src/start/product.js';
import { loggedInAs } from '../support/accounts.js';
import type { Answer } from '../support/browser.js';
import { getWith, keyRefusalsOf, keyWith } from '../support/keys.js';
import { foundOrg, type TestOrg } from '../support/orgs.js';
import { statementsDuring } from '../support/statements.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

@Controller('notes')
class NotesController {
  @Get()
  @AcceptsKeys('notes.read')
  @MinRole(Role.ORG_ADMIN)
  @Requires('notes.read')
  list(@CurrentPrincipal() principal: Principal, @CurrentOrgId() orgId: string | null) {
    return { by: principal.kind === 'key' ? principal.key.name : principal.user.id, orgId };
  }

  @Get('paid')
  @AcceptsKeys('notes.read')
  @RequiresSubscription()
  paid() {
    return {};
  }

  @Get('of-users')
  @AcceptsKeys('notes.read')
  ofUsers(@CurrentUser() user: { id: string }) {
    return { id: user.id };
  }

  @Get('closed')
  closed() {
    return {};
  }
}

@Module({ controllers: [NotesController] })
class NotesModule {}

const product = {
  modules: [NotesModule],
  permissions: {
    'notes.read': { title: 'Read notes', from: Role.READONLY, keys: true },
    'notes.write': { title: 'Write notes', from: Role.MEMBER },
  },
} satisfies Product;

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await TestApp.start({}, { product });
  org = await foundOrg(app);
});
afterAll(() => app.close());

const keyOf = (...permissions: string[]) => keyWith(app, permissions);

const get = (path: string, secret?: string, headers?: Record<string, string>) =>
  getWith(app, path, secret, headers);

const REFUSED = {
  status: 401,
  headers: { 'www-authenticate': 'Bearer realm="latchkey", error="invalid_token"' },
};

describe('the secret of a key', () => {
  it('has a form that garbage does not have, and is never made twice', () => {
    const minted = Array.from({ length: 10_000 }, () => mintKey('notes', 'org'));
    expect(new Set(minted).size).toBe(10_000);
    for (const secret of minted) {
      expect(secret).toMatch(/^notes_org_[0-9A-Za-z]{49}$/);
      expect(isKey(secret)).toBe(true);
    }
    const [secret = ''] = minted;
    const otherCase = secret.replace(/[a-z](?=.{8}$)/, (letter) => letter.toUpperCase());
    for (const wrong of [
      secret.slice(1),
      `${secret}0`,
      `x${secret}`,
      secret.replace('org', 'svc'),
      otherCase,
    ])
      expect(wrong === secret || !isKey(wrong)).toBe(true);
  });

  it('is stored as its hash alone', async () => {
    const { id, secret } = await keyOf('notes.read');
    const rows = await app.database.rows(
      `SELECT to_jsonb(k)::text || to_jsonb(s)::text AS all FROM keys k JOIN key_secrets s ON s.key_id = k.id WHERE k.id = $1`,
      [id],
    );
    expect(rows[0].all).not.toContain(secret.slice(12, 40));
  });
});

describe('a route that accepts keys', () => {
  it('admits a key that has the permission, in one statement, and asks it for no role', async () => {
    const { name, secret } = await keyOf('notes.read', 'latchkey.users.read');
    let answer: Answer | undefined;
    const statements = await statementsDuring(async () => {
      answer = await get('/notes', secret);
    });
    expect([answer?.status, answer?.body, statements.length]).toEqual([200, { by: name, orgId: null }, 1]);
    expect(await org.admin.get('/notes')).toMatchObject({ body: { by: org.admin.id, orgId: org.id } });
    expect((await org.member.get('/notes')).body.code).toBe('InsufficientRole');
  });

  it('is in the organization that the request names, and that is there', async () => {
    const { secret } = await keyOf('notes.read');
    expect((await get('/notes', secret, { 'latchkey-org': org.id })).body.orgId).toBe(org.id);
    expect((await get('/notes', secret, { 'latchkey-org': org.member.id })).status).toBe(404);
    expect((await get('/notes', secret, { 'latchkey-org': 'initech' })).status).toBe(400);
    expect((await get('/notes/paid', secret, { 'latchkey-org': org.id })).status).toBe(402);
    await app.database.rows(
      `INSERT INTO billing_customers (id, org_id, subscription_id, status) VALUES (gen_random_uuid(), $1, 'sub_1', 'active')`,
      [org.id],
    );
    expect((await get('/notes/paid', secret, { 'latchkey-org': org.id })).status).toBe(200);
    expect((await get('/notes/paid', secret)).status).toBe(402);
  });

  it('refuses a key without the permission, and records it', async () => {
    const { id, secret } = await keyOf('latchkey.users.read');
    expect(await get('/notes', secret)).toMatchObject({
      status: 403,
      body: { code: 'InsufficientPermission', permission: 'notes.read' },
    });
    await until(async () => (await keyRefusalsOf(app, id)).length > 0);
    expect(await keyRefusalsOf(app, id)).toEqual([expect.objectContaining({ reason: 'permission' })]);
  });

  it('does not say to a key without the permission which organizations there are', async () => {
    const { secret } = await keyOf('notes.read');
    for (const id of [org.id, org.member.id])
      expect((await get(`/orgs/${id}`, secret)).body.code).toBe('InsufficientPermission');
  });

  it('refuses a handler for users to a key', async () => {
    const { secret } = await keyOf('notes.read');
    expect((await get('/notes/of-users', secret)).status).toBe(401);
  });

  it('takes a key in no other place than the header, and with nothing beside it', async () => {
    const { secret } = await keyOf('notes.read');
    const bearer = `Bearer ${secret}`;
    expect((await get(`/notes?key=${secret}`)).status).toBe(401);
    expect((await get('/notes', undefined, { 'x-api-key': secret })).status).toBe(401);
    expect((await get('/notes', undefined, { authorization: secret })).status).toBe(401);
    expect((await get('/notes', undefined, { authorization: `Basic ${btoa(`key:${secret}`)}` })).status).toBe(
      401,
    );
    expect((await get('/notes', undefined, { cookie: `session=${secret}` })).status).toBe(401);

    const program = app.browser({});
    for (const cookie of org.admin.jar) program.jar.set(...cookie);
    expect(await program.get('/notes', { authorization: bearer })).toMatchObject({
      status: 400,
      body: { code: 'TwoCredentials' },
    });
    expect((await org.admin.get('/notes/closed', { authorization: bearer })).status).toBe(200);
    expect((await org.admin.get('/notes', { authorization: 'Bearer of something else' })).status).toBe(200);
  });

  it.each([
    { origin: 'http://localhost:5173' },
    { origin: 'null' },
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
  ])('refuses a page that has got hold of a key: %j', async (headers) => {
    const { secret } = await keyOf('notes.read');
    expect((await get('/notes', secret, headers as Record<string, string>)).body.code).toBe(
      'OriginNotAllowed',
    );
  });

  it('takes it for absent on a route that takes no keys, and looks up nothing', async () => {
    const { secret } = await keyOf('notes.read');
    const statements = await statementsDuring(async () => {
      expect((await get('/notes/closed', secret)).body.code).toBe('Unauthenticated');
    });
    expect(statements).toEqual([]);
  });
});

describe('a key that opens nothing', () => {
  it('gets the same answer for every reason, and its owner the reason', async () => {
    const ended = await keyOf('notes.read');
    await app.database.rows('UPDATE keys SET ended_at = now() WHERE id = $1', [ended.id]);
    const expired = await keyOf('notes.read');
    await app.database.rows('UPDATE key_secrets SET expires_at = now() WHERE key_id = $1', [expired.id]);
    const elsewhere = await keyWith(app, ['notes.read'], { networks: ['192.0.2.0/24', '2001:db8::/32'] });
    const unknown = mintKey('latchkey', 'svc');

    const answers = [];
    for (const secret of [ended.secret, expired.secret, elsewhere.secret, unknown]) {
      const answer = await get('/notes', secret);
      expect(answer).toMatchObject(REFUSED);
      answers.push(answer.text.replace(answer.body.request_id, ''));
    }
    expect(new Set(answers).size).toBe(1);
    for (const [{ id }, reason] of [
      [ended, 'ended'],
      [expired, 'expired'],
      [elsewhere, 'address'],
    ] as const) {
      await until(async () => (await keyRefusalsOf(app, id)).length > 0);
      expect(await keyRefusalsOf(app, id)).toEqual([expect.objectContaining({ reason, key_id: id })]);
    }
  });

  it('is recorded ten times an hour at most, from however many networks it comes', async () => {
    const service = await TestApp.start(
      { SVC_TRUSTED_PROXIES: '127.0.0.1' },
      { product, database: app.database },
    );
    const { id, secret } = await keyOf('notes.read');
    await app.database.rows('UPDATE keys SET ended_at = now() WHERE id = $1', [id]);
    const refused = (ip: string) => getWith(service, '/notes', secret, { 'x-forwarded-for': ip });

    for (let n = 0; n < 5; n++) expect((await refused(`2001:db8:0:1::${n}`)).status).toBe(401);
    for (let n = 0; n < 15; n++) expect((await refused(`192.0.2.${n}`)).status).toBe(401);

    await until(async () => (await keyRefusalsOf(app, id)).length === 10);
    const sites = await app.database.value(
      `SELECT count(*)::int FROM audit_events WHERE details->>'key_id' = $1 AND ip LIKE '2001:db8:%'`,
      [id],
    );
    expect(sites).toBe(1);
    await service.nest.close();
  });

  it('is used where its networks say so', async () => {
    const { secret } = await keyWith(app, ['notes.read'], { networks: ['192.0.2.0/24', '127.0.0.0/8'] });
    expect((await get('/notes', secret)).status).toBe(200);
  });

  it('is one whose permission the code no longer declares', async () => {
    const { id, secret } = await keyOf('notes.read');
    await app.database.rows(`UPDATE keys SET permissions = '{notes.purge,notes.write}' WHERE id = $1`, [id]);
    expect((await get('/notes', secret)).body.code).toBe('InsufficientPermission');
  });
});

describe('what the service itself opens to keys of the operator', () => {
  it('is what latchkey.users.read says, as a SYSTEM_ADMIN reads it', async () => {
    const root = await loggedInAs(app, 'sys_admin');
    const { secret } = await keyOf('latchkey.users.read');
    for (const path of [
      '/users',
      `/users/${org.member.id}`,
      '/orgs',
      `/orgs/${org.id}`,
      `/orgs/${org.id}/members`,
    ]) {
      const answer = await get(path, secret);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.body).toEqual((await root.get(path)).body);
    }
    for (const path of ['/users/export', '/system', '/audit-events?scope=all', '/users/me', '/access'])
      expect([path, (await get(path, secret)).status]).toEqual([path, 401]);
    const weak = await keyOf('notes.read');
    expect((await get('/users', weak.secret)).status).toBe(403);
  });
});

describe('a live key', () => {
  it('may send as many requests in a minute as it says', async () => {
    const service = await TestApp.start({ SVC_RATE_LIMITS: 'on' }, { product, database: app.database });
    const { secret } = await keyWith(app, ['notes.read'], { perMinute: 3 });
    const statuses = [];
    for (let n = 0; n < 5; n++)
      statuses.push(await service.browser({}).get('/notes', { authorization: `Bearer ${secret}` }));
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    expect(Number(statuses[4]?.headers['retry-after'])).toBeGreaterThan(0);
    await service.nest.close();
  });
});
