import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { findFreePort } from '../../tools/embedded-postgres/free-port.js';
import { loggedIn, loggedInAs } from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { asMember, foundOrg, type TestOrg } from '../support/orgs.js';
import { ForwardingProxy, PROGRAMS } from '../support/proxies.js';
import { answerTo } from '../support/send.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { newSecret, webhooks } from '../support/webhooks.js';
import { describeWhere } from '../support/where.js';

const [nginx] = PROGRAMS;
const hasPython = spawnSync('python3', ['--version']).status === 0;

describeWhere(nginx.version !== null && hasPython)(
  'the back end of the documents, in Python behind nginx',
  () => {
    const secret = newSecret();
    let app: TestApp;
    let org: TestOrg;
    let folder: string;
    let python: ChildProcess;
    let proxy: ForwardingProxy;
    let events: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'latchkey-python-'));
      const port = await findFreePort('127.0.0.1');
      events = `http://127.0.0.1:${port}/latchkey-events`;
      const variables = { PORT: `${port}`, WEBHOOK_SECRETS: secret, DATABASE: join(folder, 'backend.db') };
      python = spawn('python3', ['docs/backends/backend.py'], {
        env: { ...process.env, ...variables },
        stdio: 'ignore',
      });
      await until(() =>
        fetch(events).then(
          () => true,
          () => false,
        ),
      );

      const types = ['account.*', 'member.*', 'role.changed', 'login.succeeded'];
      app = await TestApp.start(webhooks({ name: 'product', url: events, secrets: [secret], types }));
      proxy = await ForwardingProxy.start(nginx, { service: [await app.listen()], backEnd: port });
      org = await foundOrg(app);
    });
    afterAll(async () => {
      await app.close();
      await proxy.stop();
      python.kill();
      await once(python, 'exit');
      await rm(folder, { recursive: true });
    });

    const cookieOf = ({ jar }: Browser) => [...jar].map((pair) => pair.join('=')).join('; ');

    /** A request through nginx, as the browser of a caller sends it. */
    async function send(caller: Browser, path: string, body?: object) {
      const request = { method: 'POST', body: JSON.stringify(body) };
      const { status, headers, ...answer } = await fetch(`http://127.0.0.1:${proxy.port}${path}`, {
        ...(body && request),
        headers: { cookie: cookieOf(caller), 'latchkey-role': 'sys_admin', 'latchkey-user-id': org.admin.id },
      }).then(async (response) => ({
        status: response.status,
        headers: response.headers,
        text: await response.text(),
      }));
      const isJson = headers.get('content-type') === 'application/json';
      return { status, body: isJson ? JSON.parse(answer.text) : null };
    }

    /** How the back end answers a request that has one of its headers twice, which fetch would join. */
    async function sendTwice(name: string, headers: [string, string][]): Promise<string> {
      const { port } = new URL(events);
      const lines = [...headers, [name, 'sys_admin']].map(([each, value]) => `${each}: ${value}\r\n`);
      const head = `GET /v1/notes HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines.join('')}\r\n`;
      return `${(await answerTo(Number(port), head)).statusCode}`;
    }

    const membersKnown = async (): Promise<string[]> => {
      const { body } = await send(org.admin, '/v1/members');
      return body.members.map(({ id }: { id: string }) => id).sort();
    };

    it('knows its caller, whatever the caller claims, and is reached by no stranger', async () => {
      expect(await send(org.member, '/v1/me')).toEqual({
        status: 200,
        body: { user_id: org.member.id, role: 'member', org_id: org.id },
      });
      expect((await send(app.browser(), '/v1/me')).status).toBe(401);
    });

    it('refuses a member where an admin is asked, who sees the members of which events told', async () => {
      expect((await send(org.member, '/v1/members')).status).toBe(403);

      const ids = [org.admin, org.member, org.readonly].map(({ id }) => id).sort();
      await until(async () => (await membersKnown()).length === ids.length);
      expect(await membersKnown()).toEqual(ids);
      const { body } = await send(org.admin, '/v1/members');
      const { data } = (await (await loggedInAs(app, 'sys_admin')).get(`/users?org_id=${org.id}`)).body;
      const byId = (users: { id: string }[]) => users.sort((a, b) => a.id.localeCompare(b.id));
      const told = data.map(({ id, email, role }: Record<string, string>) => ({ id, email, role }));
      expect(byId(body.members)).toEqual(byId(told));
    });

    it('tells an admin of no other organization that a member belongs to', async () => {
      const other = await foundOrg(app, 'Elsewhere');
      await app.database.rows(
        `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, 'org_admin', 'invitation')`,
        [org.member.id, other.id],
      );
      await org.member.patch('/users/me', { name: 'Ada' });
      const membersOf = async (admin: Browser) => (await send(admin, '/v1/members')).body.members;
      const { id, email } = org.member;
      const isMember = (each: { id: string }) => each.id === id;
      await until(async () => (await membersOf(other.admin)).some(isMember));

      expect(await membersOf(other.admin)).toContainEqual({ id, email, role: 'org_admin' });
      const { body } = await send(org.admin, '/v1/members');
      expect(body.members).toContainEqual({ id, email, role: 'member' });
      expect(JSON.stringify(body)).not.toContain(other.id);
      await app.database.rows('DELETE FROM memberships WHERE org_id = $1', [other.id]);
      await org.member.patch('/users/me', { name: null });
    });

    it('has nothing for a user without an organization', async () => {
      const loner = await asMember(await loggedIn(app));

      expect((await send(loner, '/v1/notes', { text: 'Buy milk' })).status).toBe(403);
      expect((await send(loner, '/v1/notes')).status).toBe(403);
      expect((await send(loner, '/v1/me')).body).toEqual({ user_id: loner.id, role: 'member', org_id: null });
    });

    it('refuses a request that lacks one of the eight headers, has one twice, or names no user', async () => {
      const notes = new URL('/v1/notes', events);
      const told: Record<string, string> = {
        'latchkey-user-id': org.admin.id,
        'latchkey-email': org.admin.email,
        'latchkey-role': 'org_admin',
        'latchkey-org-id': org.id,
        'latchkey-session-id': 'a session',
        'latchkey-aal': '1',
        'latchkey-subscribed': '',
        'latchkey-assertion': '',
      };
      const asked = async (headers: [string, string][]) => {
        const [read, write] = [fetch(notes, { headers }), { method: 'POST', body: '{"text":"x"}', headers }];
        return [(await read).status, (await fetch(notes, write)).status];
      };
      const all = Object.entries(told);

      expect((await fetch(notes, { headers: all })).status).toBe(200);
      for (const [name] of all) {
        expect(await asked(all.filter(([each]) => each !== name))).toEqual([401, 401]);
      }
      expect(await asked(Object.entries({ ...told, 'latchkey-user-id': '' }))).toEqual([401, 401]);
      expect(await sendTwice('latchkey-role', all)).toContain('401');
    });

    it('forgets a user who is deleted, with what belonged to them, within a second', async () => {
      expect((await send(org.member, '/v1/notes', { text: 'Buy milk' })).status).toBe(201);
      expect((await send(org.admin, '/v1/notes')).body.notes).toEqual([
        { user_id: org.member.id, text: 'Buy milk' },
      ]);

      const root = await loggedInAs(app, 'sys_admin');
      expect((await root.delete(`/users/${org.member.id}`)).status).toBe(204);
      const begun = performance.now();
      await until(async () => (await send(org.admin, '/v1/notes')).body.notes.length === 0);

      expect(performance.now() - begun).toBeLessThan(1_000);
      expect(await membersKnown()).not.toContain(org.member.id);
      expect((await send(org.member, '/v1/me')).status).toBe(401);
    });

    it('knows within a second that a member was removed from the organization', async () => {
      expect((await org.admin.delete(`/orgs/${org.id}/members/${org.readonly.id}`)).status).toBe(204);
      const begun = performance.now();
      await until(async () => !(await membersKnown()).includes(org.readonly.id));

      expect(performance.now() - begun).toBeLessThan(1_000);
    });

    it('takes no event that Latchkey has not signed, and none through the proxy', async () => {
      const forged = { type: 'account.deleted', data: { user_id: org.admin.id, version: 9e15, user: null } };
      const headers = {
        'webhook-id': 'a',
        'webhook-timestamp': `${Math.floor(Date.now() / 1000)}`,
        'webhook-signature': 'v1,AAAA',
      };
      const post = (url: string) => fetch(url, { method: 'POST', headers, body: JSON.stringify(forged) });

      expect((await post(events)).status).toBe(401);
      expect((await post(`http://127.0.0.1:${proxy.port}/latchkey-events`)).status).not.toBe(204);
      expect(await membersKnown()).toEqual([org.admin.id]);
    });

    // The last, because nothing is left after it.
    it('asks for an event again that it cannot keep', async () => {
      const now = new Date();
      const body = JSON.stringify({
        type: 'account.updated',
        data: { user_id: org.admin.id, version: 1, user: {} },
      });
      const headers = {
        'webhook-id': 'a',
        'webhook-timestamp': `${Math.floor(now.getTime() / 1000)}`,
        'webhook-signature': new Webhook(secret).sign('a', now, body),
      };
      const post = () => fetch(events, { method: 'POST', headers, body });

      expect((await post()).status).toBe(204);
      await rm(join(folder, 'backend.db'));
      expect((await post()).status).toBe(503);
    });
  },
);
