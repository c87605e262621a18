import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { giveRole, loggedIn, loggedInAs, verified } from '../support/accounts.js';
import { actingFor } from '../support/acting.js';
import type { Browser } from '../support/browser.js';
import { asMember, foundOrg, type Member } from '../support/orgs.js';
import { BackEnd, ForwardingProxy, hostsOfOrgs, PROGRAMS } from '../support/proxies.js';
import { answerTo, connectTo, type RawAnswer } from '../support/send.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { describeWhere } from '../support/where.js';

/** The single-page application is behind the proxy, and its development server elsewhere. */
const WEB = 'http://app.localhost';
const SPA = 'http://localhost:5173';

const IDENTITY = [
  'latchkey-user-id',
  'latchkey-email',
  'latchkey-role',
  'latchkey-org-id',
  'latchkey-session-id',
  'latchkey-aal',
  'latchkey-subscribed',
  'latchkey-assertion',
];

/** Other spellings of a header, which PHP, WSGI and CGI take for the same. */
const ALIASES = [
  'Latchkey_User_Id',
  'Latchkey.User.Id',
  'Latchkey_Role',
  'LATCHKEY_ORG_ID',
  'Latchkey-User_Id',
  'Latchkey!User+Id',
  'Latchkey_Org',
  'Latchkey.Org',
  'LATCHKEY-ORG_ID',
];

/** How a request names its organization, and what the proxy makes of it. */
type Form = 'header' | 'path' | 'host';

/** How the answer to a handshake begins; the connection stays open for whatever follows. */
async function answerBegun(port: number, headers: [string, string][], path = '/v1/live'): Promise<string> {
  const socket = await connectTo(port);
  const lines = [['Host', `127.0.0.1:${port}`], ...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const [chunk] = await once(socket, 'data');
  socket.destroy();
  return String(chunk).slice(0, 'HTTP/1.1 101'.length);
}

describe.each(PROGRAMS)('a back end behind $name', (program) => {
  describeWhere(program.version !== null)(`${program.version}, as documented`, () => {
    let app: TestApp;
    let backEnd: BackEnd;
    let behind: { service: number[]; backEnd: number };
    let proxy: ForwardingProxy;
    let member: Member;
    beforeAll(async () => {
      app = await TestApp.start({ SVC_BASE_WEB_URL: WEB, SVC_CORS_ORIGINS: SPA, SVC_ACTING: 'on' });
      backEnd = await BackEnd.start();
      behind = { service: [await app.listen()], backEnd: backEnd.port };
      proxy = await ForwardingProxy.start(program, behind);
      ({ member } = await foundOrg(app));
    });
    afterAll(async () => {
      await proxy.stop();
      await backEnd.close();
      await app.close();
    });
    beforeEach(() => {
      backEnd.received.length = 0;
    });

    /** Sends a request to the proxy, with the headers as they are given; one may come several times. */
    function send(
      method: string,
      path: string,
      headers: [string, string][] = [],
      body = '',
      port = proxy.port,
    ): Promise<RawAnswer> {
      const given = headers.map(([name]) => name);
      const defaults: [string, string][] = [
        ['Host', `127.0.0.1:${port}`],
        ['Connection', 'close'],
      ];
      const lines = [...defaults.filter(([name]) => !given.includes(name)), ...headers];
      if (body) lines.push(['Content-Length', String(body.length)]);
      const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      return answerTo(port, `${method} ${path} HTTP/1.1\r\n${head}\r\n${body}`);
    }

    const cookieOf = ({ jar }: Browser): [string, string] => [
      'Cookie',
      [...jar].map((pair) => pair.join('=')).join('; '),
    ];
    const ask = (caller: Browser, headers: [string, string][] = [], path = '/v1/notes') =>
      send('GET', path, [cookieOf(caller), ...headers]);

    /** What the back end was told of the caller of the one request that reached it; empty counts as nothing. */
    function toldOf(): Record<string, unknown> {
      expect(backEnd.received).toHaveLength(1);
      const entries = Object.entries(backEnd.received[0]?.headers ?? {});
      return Object.fromEntries(entries.filter(([name, value]) => /^latchkey/.test(name) && value !== ''));
    }

    const toldOfAll = () => backEnd.received.map(({ headers }) => String(headers['latchkey-user-id']).trim());

    it('is told who calls, and gets no cookie', async () => {
      const { user, session } = (await member.get('/users/me')).body;

      expect(await ask(member)).toMatchObject({ statusCode: 200, payload: 'from the back end' });

      expect(toldOf()).toEqual({
        'latchkey-user-id': user.id,
        'latchkey-email': user.email,
        'latchkey-role': 'member',
        'latchkey-org-id': user.org_id,
        'latchkey-session-id': session.id,
        'latchkey-aal': '1',
      });
      expect(backEnd.received[0]?.headers.cookie ?? '').toBe('');
    });

    // Caddy closes the connection after an answer whose body it does not read, and a HEAD would be answered to the client.
    if (program.name === 'nginx')
      it('is asked for by checks that share a connection', async () => {
        let opened = 0;
        app.nest.getHttpServer().on('connection', () => {
          opened += 1;
        });

        for (let check = 0; check < 5; check++) expect((await ask(member)).statusCode).toBe(200);

        expect(opened).toBeLessThanOrEqual(1);
      });

    it('gets the request as it was, with its method, query and body', async () => {
      await send('POST', '/v1/notes?min_role=sys_admin', [cookieOf(member), ['Origin', SPA]], '{"text":"x"}');

      expect(backEnd.received).toMatchObject([
        { method: 'POST', url: '/v1/notes?min_role=sys_admin', body: '{"text":"x"}' },
      ]);
    });

    it('gets no request without a session, of a lower role, or after the session has ended', async () => {
      const [readonly, gone] = [await loggedInAs(app, 'readonly'), await loggedIn(app)];
      expect((await ask(gone)).statusCode).toBe(200);
      backEnd.received.length = 0;
      const copy = cookieOf(gone);
      await gone.post('/auth/logout');

      const answers = [
        await send('GET', '/v1/notes'),
        await ask(readonly),
        await send('GET', '/v1/notes', [copy]),
      ];

      expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 403, 401]);
      for (const { headers, payload } of answers)
        expect(payload).toHaveLength(Number(headers['content-length'] ?? payload.length));
      expect(backEnd.received).toEqual([]);
    });

    it('gets nothing but what reads from an admin who acts for a user to look, whatever the client claims', async () => {
      const { user } = (await member.get('/users/me')).body;
      const acting = await actingFor(app, user, { orgId: user.org_id });
      const claims: [string, string][] = [
        ['X-Forwarded-Method', 'GET'],
        ['X-HTTP-Method', 'GET'],
      ];

      expect((await ask(acting)).statusCode).toBe(200);
      expect((await ask(acting, [['X-Forwarded-Method', 'POST']])).statusCode).toBe(200);
      expect(toldOfAll()).toEqual(Array(2).fill(user.id));
      backEnd.received.length = 0;
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'header', 'GET&method=GET'])
        expect(
          (await send(method, '/v1/notes', [cookieOf(acting), ['Origin', SPA], ...claims], 'x')).statusCode,
        ).toBeGreaterThanOrEqual(400);
      expect(backEnd.received).toEqual([]);
    });

    it('gets whatever an admin sends who acts for a user, and may write', async () => {
      const { user } = (await member.get('/users/me')).body;
      const acting = await actingFor(app, user, { orgId: user.org_id, write: true });

      expect((await send('POST', '/v1/notes', [cookieOf(acting), ['Origin', SPA]], 'x')).statusCode).toBe(
        200,
      );
      expect(toldOfAll()).toEqual([user.id]);
    });

    it('is told another role from the next request on', async () => {
      const caller = await asMember(await loggedIn(app));
      await ask(caller);
      await giveRole(app.database, caller.id, 'org_admin');
      backEnd.received.length = 0;

      await ask(caller);

      expect(toldOf()['latchkey-role']).toBe('org_admin');
    });

    it('is not told what the client claims, in any spelling, once or twice, or where there is nothing to tell', async () => {
      const loner = await asMember(await loggedIn(app));
      const victim = randomUUID();
      const names = [
        'Latchkey-User-Id',
        'latchkey-org-id',
        'Latchkey-Subscribed',
        'Latchkey-Actor-Id',
        ...ALIASES,
      ];
      const forged = names.flatMap((name): [string, string][] => [
        [name, victim],
        [name, 'sys_admin'],
      ]);

      expect((await ask(loner, forged)).statusCode).toBe(200);

      expect(toldOf()).toEqual({
        'latchkey-user-id': loner.id,
        'latchkey-email': loner.email,
        'latchkey-role': 'member',
        'latchkey-session-id': expect.any(String),
        'latchkey-aal': '1',
      });
    });

    it.each(['session_id=', 'session_id="', 'session_id=%00', 'session_id=x; session_id', '; ; ='])(
      'gets no request with a malformed cookie: %s',
      async (cookie) => {
        const forged: [string, string] = ['Latchkey-User-Id', member.id];

        expect((await send('GET', '/v1/notes', [['Cookie', cookie], forged])).statusCode).toBe(401);
        expect(backEnd.received).toEqual([]);
      },
    );

    it('gets no request with a second cookie of the name, which a neighbouring host may have planted', async () => {
      const [name, value] = cookieOf(member);

      expect((await send('GET', '/v1/notes', [[name, `${value}; ${value}`]])).statusCode).toBe(401);
      expect(backEnd.received).toEqual([]);
    });

    it.each([
      ['X-Forwarded-Uri', '/id/health/live'],
      ['X-Original-URL', '/id/health/live'],
      ['X-Original-URI', '/id/health/live'],
      ['X-Rewrite-URL', '/id/health/live'],
      ['X-Forwarded-Method', 'OPTIONS'],
      ['X-HTTP-Method-Override', 'OPTIONS'],
      ['X-Forwarded-Prefix', '/id'],
      ['X-Forwarded-Host', 'localhost:5173'],
    ])('gets no request whose header claims to be another one: %s', async (name, value) => {
      const readonly = await loggedInAs(app, 'readonly');

      expect((await send('GET', '/v1/notes', [[name, value]])).statusCode).toBe(401);
      expect((await ask(readonly, [[name, value]])).statusCode).toBe(403);
      expect(backEnd.received).toEqual([]);
    });

    it.each(['/v1/notes?min_role=readonly', '/v1/notes?login=redirect', '/v1/notes%3Fmin_role=readonly'])(
      'gets no request whose address would soften the rule: %s',
      async (path) => {
        expect((await ask(await loggedInAs(app, 'readonly'), [], path)).statusCode).toBe(403);
        expect(backEnd.received).toEqual([]);
      },
    );

    it.each(['/_member', '/id/../v1/notes', '/v1/../v1/notes', '//v1/notes', '/V1/notes', '/v1%2fnotes'])(
      'gets no request around the rule: %s',
      async (path) => {
        await send('GET', path);
        expect(backEnd.received).toEqual([]);
      },
    );

    it.each([
      '/v1/admin/..%2fnotes',
      '/v1/admin/../notes',
      '/v1/admin/%2e%2e/notes',
      '/v1/notes/../admin/users',
      '/v1/notes/..',
      '/v1/./admin/users',
      '/v1/%2E/admin/users',
      '/v1/%2fadmin/users',
      '/v1/%2Fadmin/users',
      '/v1/%5cadmin/users',
      '/v1\\admin\\users',
      '/v1//admin/users',
      '//v1/admin/users',
      '/id/../v1/notes',
      '/id/../v1/admin/users',
    ])('gets no request whose path another rule might have judged: %s', async (path) => {
      expect((await ask(member, [], path)).statusCode).toBe(400);
      expect(backEnd.received).toEqual([]);
    });

    it('is behind the rule of each of its paths, with the path and the query as they were', async () => {
      const path = '/v1/caf%C3%A9/a...b/.c?next=/a/../b//c%2Fd';

      expect((await ask(member, [], '/v1/admin/users')).statusCode).toBe(403);
      expect((await ask(member, [], path)).statusCode).toBe(200);
      expect(backEnd.received.map(({ url }) => url)).toEqual([path]);
    });

    it('is told the address of the client, and not what the client claims', async () => {
      await ask(member, [['X-Forwarded-For', '203.0.113.9']]);
      expect(backEnd.received[0]?.headers['x-forwarded-for']).toBe('127.0.0.1');
    });

    it.each(['/id/metrics', '/id/cron/hourly', '/id/cron', '/id/metrics/'])(
      'is beside a service of which the internet does not reach %s',
      async (path) => {
        expect(await send('GET', path)).toMatchObject({
          statusCode: 404,
          payload: expect.not.stringContaining('NotFound'),
        });
      },
    );

    it.each([
      ['of another site', [['Origin', 'https://evil.example']]],
      [
        'of a neighbouring host',
        [
          ['Origin', 'http://reports.localhost:5173'],
          ['Sec-Fetch-Site', 'same-site'],
        ],
      ],
      ['in a sandbox', [['Origin', 'null']]],
      [
        'of another site, as an image',
        [
          ['Sec-Fetch-Site', 'cross-site'],
          ['Sec-Fetch-Mode', 'no-cors'],
        ],
      ],
    ] as [string, [string, string][]][])(
      'gets no request of a page %s, whatever the method',
      async (_, headers) => {
        for (const method of ['GET', 'POST', 'DELETE'])
          expect((await send(method, '/v1/notes', [cookieOf(member), ...headers])).statusCode).toBe(403);
        expect(backEnd.received).toEqual([]);
      },
    );

    it('gets no preflight that nobody has proven to be one', async () => {
      const preflight: [string, string][] = [
        ['Origin', SPA],
        ['Access-Control-Request-Method', 'POST'],
      ];

      expect((await send('OPTIONS', '/v1/notes', preflight)).statusCode).toBe(401);
      expect(backEnd.received).toEqual([]);
    });

    it('gets the WebSockets of the SPA, and those of no other page', async () => {
      const open = (origin: string) =>
        answerBegun(proxy.port, [
          ['Connection', 'Upgrade'],
          ['Upgrade', 'websocket'],
          ['Sec-WebSocket-Version', '13'],
          ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
          ['Origin', origin],
          cookieOf(member),
        ]);

      expect(await open('https://evil.example')).toBe('HTTP/1.1 403');
      expect(backEnd.received).toEqual([]);
      expect(await open(SPA)).toBe('HTTP/1.1 101');
      expect(toldOf()['latchkey-user-id']).toBe(member.id);
    });

    it.each(['h2c', 'TLS/1.0', 'websocket, h2c', 'h2c, websocket', 'websocketx'])(
      'gets no other Upgrade, behind which no request would be checked: %s',
      async (protocol) => {
        const upgrade: [string, string][] = [
          ['Connection', 'Upgrade, HTTP2-Settings'],
          ['Upgrade', protocol],
          ['HTTP2-Settings', 'AAMAAABkAAQCAAAAAAIAAAAA'],
          cookieOf(member),
        ];

        expect(await answerBegun(proxy.port, upgrade)).toBe('HTTP/1.1 200');

        expect(toldOf()['latchkey-user-id']).toBe(member.id);
        expect(backEnd.received[0]?.headers.upgrade).toBeUndefined();
      },
    );

    it('gets only the WebSocket of a request that names two protocols in two lines', async () => {
      await answerBegun(proxy.port, [
        ['Connection', 'Upgrade'],
        ['Upgrade', 'websocket'],
        ['Upgrade', 'h2c'],
        cookieOf(member),
      ]);

      expect(['websocket', undefined]).toContain(backEnd.received[0]?.headers.upgrade);
    });

    it('gets nothing from a client that begins with HTTP/2 by itself', async () => {
      const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
      const settings = '\0\0\0\x04\0\0\0\0\0';

      await answerTo(proxy.port, preface + settings).catch(() => null);

      expect(backEnd.received).toEqual([]);
    });

    it('is told who calls with all eight headers, each once, also where there is nothing to tell', async () => {
      await ask(await loggedIn(app));

      const names = Object.keys(backEnd.received[0]?.headers ?? {}).filter((name) => /^latchkey/.test(name));
      expect(names.sort()).toEqual([...IDENTITY].sort());
    });

    it('is told who calls, and of which page, whatever the client has the proxy take for its own connection', async () => {
      const named = [...IDENTITY, 'Origin', 'Sec-Fetch-Site'].join(', ');
      const hop: [string, string] = ['Connection', `close, ${named}`];
      const { user } = (await member.get('/users/me')).body;

      await ask(member, [hop]);
      expect(toldOf()).toMatchObject({ 'latchkey-user-id': user.id, 'latchkey-org-id': user.org_id });

      backEnd.received.length = 0;
      expect((await ask(member, [hop, ['Origin', 'https://evil.example']])).statusCode).toBe(403);
      expect((await ask(member, [hop, ['Sec-Fetch-Site', 'cross-site']])).statusCode).toBe(403);
      expect(backEnd.received).toEqual([]);
    });

    it('leaves a browser that asks for a page without a session at the login, from where it comes back', async () => {
      const page: [string, string][] = [
        ['Host', 'app.localhost'],
        ['Sec-Fetch-Mode', 'navigate'],
        ['Sec-Fetch-Site', 'none'],
        ['X-Forwarded-Host', 'evil.example'],
      ];
      const path = `/o/${randomUUID()}/reports/2026?from=1&to=2`;

      const { statusCode, headers } = await send('GET', path, page);

      expect(statusCode).toBe(302);
      const { origin, pathname, searchParams } = new URL(headers.location ?? '');
      expect([origin, pathname, [...searchParams]]).toEqual([WEB, '/login', [['return_to', path]]]);
      expect(backEnd.received).toEqual([]);
      expect((await ask(member, page, path)).statusCode).toBe(403);
    });

    it('leaves what asks for no page without a session with a 401', async () => {
      expect(
        (await send('GET', `/o/${randomUUID()}/reports/2026`, [['Sec-Fetch-Mode', 'cors']])).statusCode,
      ).toBe(401);
      expect(backEnd.received).toEqual([]);
    });

    it('has a proxy whose log of errors keeps no token of a mailed link', async () => {
      const closed = await ForwardingProxy.start(program, { service: [1], backEnd: backEnd.port });
      const path = '/id/ui/reset-password?token=of-the-link';
      const head = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${closed.port}\r\nConnection: close\r\n\r\n`;

      expect((await answerTo(closed.port, head)).statusCode).toBe(502);
      const log = await closed.stop();

      if (program.name === 'Caddy') expect(log).toContain('"uri":"/id/ui/reset-password"');
      expect(log).not.toContain('of-the-link');
    });

    // Caddy keeps no such log unless it is told to.
    if (program.name === 'nginx')
      it('has a proxy whose log keeps no token of a mailed link', async () => {
        const path = '/id/ui/reset-password?token=of-the-link';
        expect((await send('GET', path)).statusCode).toBe(200);

        const log = () => readFile(join(proxy.folder, 'app.access.log'), 'utf8');
        await until(async () => (await log()).includes('"GET /id/ui/reset-password HTTP/1.1" 200'));
        expect(await log()).not.toContain('of-the-link');
      });

    it('is beside the service, whose own routes are reached without the check', async () => {
      expect((await send('GET', '/id/health/live')).statusCode).toBe(200);
      expect((await ask(member, [], '/id/users/me')).statusCode).toBe(200);
      expect(backEnd.received).toEqual([]);
    });

    it('gets no request while the service is down', async () => {
      const closed = await ForwardingProxy.start(program, { service: [1], backEnd: backEnd.port });
      const cookie = cookieOf(member).join(': ');
      const head = `GET /v1/notes HTTP/1.1\r\nHost: 127.0.0.1:${closed.port}\r\nConnection: close\r\n${cookie}\r\n\r\n`;

      const { statusCode } = await answerTo(closed.port, head);
      await closed.stop();

      expect(statusCode).toBeGreaterThanOrEqual(500);
      expect(backEnd.received).toEqual([]);
    });

    describe('and a user of several organizations', () => {
      /** nginx knows three verdicts of the check, and takes any other answer for a fault. */
      const refused = program.name === 'nginx' ? 500 : 400;
      let byHost: ForwardingProxy;
      let two: Member;
      /** Organizations of the user, as a member and as an ORG_ADMIN, which are those of the documented hosts. */
      let [a, b] = ['', ''];
      let [hostOfA, hostOfB] = ['', ''];
      /** One in which the user may only read, and one of others. */
      let [c, foreign] = ['', ''];
      beforeAll(async () => {
        byHost = await ForwardingProxy.start(program, { ...behind, isByHost: true });
        [[hostOfA, a] = ['', ''], [hostOfB, b] = ['', '']] = await hostsOfOrgs();
        [c, foreign] = [randomUUID(), randomUUID()];
        for (const id of [a, b, c, foreign]) await found(id);
        two = await memberOf([a, 'member'], [b, 'org_admin'], [c, 'readonly']);
      });
      afterAll(() => byHost.stop());

      const found = (id: string) =>
        app.database.rows(`INSERT INTO organizations (id, name) VALUES ($1, 'Analytical')`, [id]);
      const putInto = (userId: string, orgId: string, role: string) =>
        app.database.rows(
          `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, $3, 'invitation')`,
          [userId, orgId, role],
        );
      const leave = (userId: string, orgId: string) =>
        app.database.rows('DELETE FROM memberships WHERE user_id = $1 AND org_id = $2', [userId, orgId]);
      async function memberOf(...memberships: [orgId: string, role: string][]): Promise<Member> {
        const user = await asMember(await loggedIn(app, await verified(app)));
        for (const [orgId, role] of memberships) await putInto(user.id, orgId, role);
        return user;
      }

      const askAt = (caller: Browser, host: string, headers: [string, string][] = [], path = '/v1/notes') =>
        send('GET', path, [cookieOf(caller), ['Host', host], ...headers], '', byHost.port);
      const hostOf = (orgId: string) => (orgId === a ? hostOfA : hostOfB);

      /** A request that names an organization, in the way that the rule reads. */
      const NAMING: Record<Form, (caller: Browser, orgId: string) => Promise<RawAnswer>> = {
        header: (caller, orgId) => ask(caller, [['Latchkey-Org', orgId]]),
        path: (caller, orgId) => ask(caller, [], `/v1/orgs/${orgId}/notes`),
        host: (caller, orgId) => askAt(caller, hostOf(orgId)),
      };
      const UNNAMED: Record<Form, (caller: Browser) => Promise<RawAnswer>> = {
        header: (caller) => ask(caller),
        path: (caller) => ask(caller, [], '/v1/orgs-of-mine'),
        host: (caller) => askAt(caller, 'app.example.com'),
      };
      const FORMS = Object.keys(NAMING) as Form[];

      /** Expects that the back end was told of one request, for one organization, and of nothing that a client wrote. */
      function expectTold(user: Member, orgId: string, role: string): void {
        expect(toldOf()).toEqual({
          'latchkey-user-id': user.id,
          'latchkey-email': user.email,
          'latchkey-role': role,
          ...(orgId && { 'latchkey-org-id': orgId }),
          'latchkey-session-id': expect.any(String),
          'latchkey-aal': '1',
        });
        const names = Object.keys(backEnd.received[0]?.headers ?? {}).filter((name) =>
          /^latchkey/.test(name),
        );
        expect(names.sort()).toEqual([...IDENTITY].sort());
        backEnd.received.length = 0;
      }

      it.each(FORMS)('is told the organization that is named by %s, and the role there', async (form) => {
        expect((await NAMING[form](two, a)).statusCode).toBe(200);
        expectTold(two, a, 'member');
        expect((await NAMING[form](two, b)).statusCode).toBe(200);
        expectTold(two, b, 'org_admin');
      });

      it.each(FORMS)('gets no request of a lower role in the organization named by %s', async (form) => {
        const user = await memberOf([a, 'readonly'], [c, 'org_admin']);

        expect((await NAMING[form](user, a)).statusCode).toBe(403);
        expect(backEnd.received).toEqual([]);
      });

      it.each(FORMS)('gets no request that names none by %s', async (form) => {
        expect((await UNNAMED[form](two)).statusCode).toBe(refused);
        expect(backEnd.received).toEqual([]);
      });

      it.each(['header', 'path'] as const)(
        'gets no request for an organization of others, or one that is not there, named by %s',
        async (form) => {
          for (const orgId of [foreign, randomUUID()])
            expect((await NAMING[form](two, orgId)).statusCode).toBe(403);
          expect(backEnd.received).toEqual([]);
        },
      );

      it('gets no request for an organization of others, or one that is not there, named by host', async () => {
        expect((await askAt(member, hostOfA)).statusCode).toBe(403);
        await leave(two.id, b);
        await app.database.rows('DELETE FROM organizations WHERE id = $1', [b]);

        expect((await askAt(two, hostOfB)).statusCode).toBe(403);

        await found(b);
        await putInto(two.id, b, 'org_admin');
        expect(backEnd.received).toEqual([]);
      });

      it.each(FORMS)('gets no request of a member who was removed, named by %s', async (form) => {
        const user = await memberOf([a, 'member'], [c, 'member']);
        expect((await NAMING[form](user, a)).statusCode).toBe(200);
        backEnd.received.length = 0;

        await leave(user.id, a);

        expect((await NAMING[form](user, a)).statusCode).toBe(403);
        expect(backEnd.received).toEqual([]);
      });

      it.each([
        ['a parameter', (id: string) => [['Latchkey-Org', `${id}&min_role=readonly`]]],
        ['a question mark', (id: string) => [['Latchkey-Org', `${id}?min_role=readonly`]]],
        ['two ids', (id: string) => [['Latchkey-Org', `${id},${id}`]]],
        ['percent-encoded signs', (id: string) => [['Latchkey-Org', id.replaceAll('-', '%2d')]]],
        ['braces', (id: string) => [['Latchkey-Org', `{${id}}`]]],
        ['a placeholder of Caddy', () => [['Latchkey-Org', '{http.request.header.Cookie}']]],
        ['nothing', () => [['Latchkey-Org', '']]],
        [
          'itself twice',
          (id: string) => [
            ['Latchkey-Org', id],
            ['Latchkey-Org', id],
          ],
        ],
        [
          'itself in another spelling, and nothing else',
          (id: string) => [
            ['Latchkey_Org', id],
            ['Latchkey.Org', id],
            ['Latchkey-Org-Id', id],
          ],
        ],
      ] as [string, (id: string) => [string, string][]][])(
        'gets no request whose Latchkey-Org holds %s',
        async (_, forged) => {
          expect((await ask(two, forged(b))).statusCode).toBe(refused);
          expect((await ask(two, forged(c))).statusCode).toBe(refused);
          expect(backEnd.received).toEqual([]);
        },
      );

      it('is told of the one that the rule reads, whatever else names another', async () => {
        const forged = [
          'Latchkey-Org-Id',
          'Latchkey_Org',
          'Latchkey.Org',
          'latchkey_org_id',
          'X-Latchkey-Org',
        ].map((name): [string, string] => [name, b]);
        const hop: [string, string] = ['Connection', 'close, Latchkey-Org, Latchkey-Org-Id'];
        const query = `?org=${b}&min_role=readonly`;

        await ask(two, [['Latchkey-Org', a], ...forged, hop], `/v1/notes${query}`);
        expectTold(two, a, 'member');
        await ask(two, [['latchkey-org', a.toUpperCase()], ...forged], `/v1/notes${query}`);
        expectTold(two, a, 'member');
        await ask(two, [['Latchkey-Org', b], ...forged, hop], `/v1/orgs/${a}/notes${query}`);
        expectTold(two, a, 'member');
        await askAt(two, hostOfA, [['Latchkey-Org', b], ['X-Forwarded-Host', hostOfB], ...forged, hop]);
        expectTold(two, a, 'member');
      });

      it('is told the organization in the path of a WebSocket, for which browsers send no header of the SPA', async () => {
        const open = (orgId: string) =>
          answerBegun(
            proxy.port,
            [['Connection', 'Upgrade'], ['Upgrade', 'websocket'], ['Origin', SPA], cookieOf(two)],
            `/v1/orgs/${orgId}/live`,
          );

        expect(await open(foreign)).toBe('HTTP/1.1 403');
        expect(backEnd.received).toEqual([]);
        expect(await open(b)).toBe('HTTP/1.1 101');
        expectTold(two, b, 'org_admin');
      });

      it('serves a page of the organization in its path, as browsers send no header of the SPA', async () => {
        const open = (orgId: string, page = 'reports/2026') =>
          ask(
            two,
            [
              ['Sec-Fetch-Mode', 'navigate'],
              ['Latchkey-Org', b],
            ],
            `/o/${orgId}/${page}`,
          );

        expect((await open(a)).statusCode).toBe(200);
        expectTold(two, a, 'member');
        for (const refusedIn of [c, foreign]) expect((await open(refusedIn)).statusCode).toBe(403);
        expect((await open(`${a}%26min_role=readonly`)).payload).not.toBe('from the back end');
        expect((await open(a, `../${b}/reports/2026`)).statusCode).toBe(400);
        expect(backEnd.received).toEqual([]);
      });

      it('is told of no organization where a request asks for none', async () => {
        await ask(two, [['Latchkey-Org', 'none']]);
        expectTold(two, '', 'member');
      });

      it('is told of the one organization of a caller who names none', async () => {
        const user = await memberOf([b, 'member']);
        expect((await ask(user)).statusCode).toBe(200);
        expectTold(user, b, 'member');
      });

      it.each([
        ['capitals', (id: string) => id.toUpperCase()],
        ['a parameter', (id: string) => `${id}%26min_role=readonly`],
        ['a parameter, as it is', (id: string) => `${id}&min_role=readonly`],
        ['a query', (id: string) => `${id}%3Fmin_role=readonly`],
        ['a line', (id: string) => `${id}%0d%0aLatchkey-Role:%20sys_admin`],
        ['two ids', (id: string) => `${id},${id}`],
        ['a word of the rule', () => 'header'],
        ['none', () => 'none'],
        ['a placeholder', () => '%7Bhttp.request.header.Cookie%7D'],
      ])('gets no request whose path has %s in place of an id', async (_, segment) => {
        const headers: [string, string][] = [['Latchkey-Org', b]];

        for (const orgs of ['orgs', 'Orgs', '%6Frgs'])
          expect((await ask(two, headers, `/v1/${orgs}/${segment(b)}/notes`)).statusCode).toBe(404);
        expect(backEnd.received).toEqual([]);
      });

      it('gets no request whose path names two organizations, or what is no id', async () => {
        const paths = [
          `${a}/../${b}/notes`,
          `${a}%2f..%2f${b}/notes`,
          `/${b}/notes`,
          `${a}/%2e%2e/${b}/notes`,
        ];
        for (const path of paths) expect((await ask(two, [], `/v1/orgs/${path}`)).statusCode).toBe(400);
        expect((await ask(two, [], `/v1/orgs/${'-'.repeat(36)}/notes`)).statusCode).toBe(refused);
        expect(backEnd.received).toEqual([]);
      });

      it('is told of the organization whose id the path has percent-encoded', async () => {
        const path = `/v1/orgs/${a.replaceAll('-', '%2d')}/notes`;
        expect((await ask(two, [['Latchkey-Org', b]], path)).statusCode).toBe(200);
        expect(backEnd.received.map(({ url }) => url)).toEqual([path]);
        expectTold(two, a, 'member');
      });

      it('gets no request for another organization than that of the host, in any spelling of it', async () => {
        const capitals = await askAt(two, hostOfA.toUpperCase());
        if (program.name === 'nginx') expectTold(two, a, 'member');
        else expect(capitals.statusCode).toBe(refused);

        await askAt(two, `${hostOfA}, ${hostOfB}`);
        await askAt(two, hostOfA, [['Host', hostOfB]]);
        expect(backEnd.received).toEqual([]);
      });

      it('is beside a service that reads the header by itself, as the SPA sends it', async () => {
        const me = async (headers: [string, string][], answerOf = ask) => {
          const { statusCode, payload } = await answerOf(two, headers, '/id/users/me');
          expect(statusCode).toBe(200);
          const { org_id, role } = JSON.parse(payload).user;
          return { org_id, role };
        };
        const nowhere = { org_id: null, role: 'member' };

        expect(await me([['Latchkey-Org', a]])).toEqual({ org_id: a, role: 'member' });
        expect(await me([['Latchkey-Org', b]])).toEqual({ org_id: b, role: 'org_admin' });
        expect(
          await me([['Latchkey-Org', b]], (caller, headers, path) => askAt(caller, hostOfA, headers, path)),
        ).toEqual({ org_id: b, role: 'org_admin' });
        expect(await me([])).toEqual(nowhere);
        expect(await me([['Latchkey_Org', b]])).toEqual(nowhere);
        for (const malformed of ['', `${a},${b}`, `${a}&x=y`])
          expect((await ask(two, [['Latchkey-Org', malformed]], '/id/users/me')).statusCode).toBe(400);
      });
    });
  });
});
