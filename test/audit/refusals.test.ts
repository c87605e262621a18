import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { loggedIn, verified } from '../support/accounts.js';
import { eventsAfter } from '../support/audit.js';
import { asMember, foundOrg, invite } from '../support/orgs.js';
import { answerTo } from '../support/send.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const newUser = async () => asMember(await loggedIn(app));

describe('access.refused', () => {
  const refusals = async (id: string) =>
    app.database.rows(
      `SELECT details FROM audit_events WHERE actor_id = $1 AND type = 'access.refused' ORDER BY id`,
      [id],
    );

  it('names code and route, once an hour for each user, code and route', async () => {
    const browser = await newUser();
    const other = await newUser();

    await eventsAfter(app, () => browser.get('/users?email=somebody'));
    await Promise.all(Array.from({ length: 20 }, () => browser.get('/users')));
    await eventsAfter(app, () => browser.post('/orgs', {}));
    await eventsAfter(app, () => other.get('/users'));
    await app.database.rows('UPDATE rate_limits SET expire = expire - 3600000');
    await eventsAfter(app, () => browser.get('/users'));

    const codes = (await refusals(browser.id)).map(({ details }) => details);
    expect(codes).toEqual([
      { code: 'InsufficientRole', route: 'GET /users' },
      { code: 'InsufficientRole', route: 'POST /orgs' },
      { code: 'InsufficientRole', route: 'GET /users' },
    ]);
  });

  it('is recorded also when the service has not read the session yet, and on public routes', async () => {
    const { id, admin } = await foundOrg(app);
    const [browser, token] = [await newUser(), await invite(app, admin, id, await verified(app))];

    await eventsAfter(app, () =>
      browser.patch('/users/me', { name: 'Eve' }, { origin: 'https://evil.example' }),
    );
    await eventsAfter(app, () => browser.post('/invitations/accept', { token }));

    expect((await refusals(browser.id)).map(({ details }) => details)).toEqual([
      { code: 'OriginNotAllowed', route: 'PATCH /users/me' },
      { code: 'InvitationEmailMismatch', route: 'POST /invitations/accept' },
    ]);
  });

  it('is recorded in no organization where the user named one of others: its admins would read what they tried', async () => {
    const [{ member }, { id }] = [await foundOrg(app), await foundOrg(app)];

    const events = await eventsAfter(app, () => member.get(`/sessions/verify?org=${id}`));

    const details = { code: 'NotAMember', route: 'GET /sessions/verify' };
    expect(events).toMatchObject([{ type: 'access.refused', user_id: member.id, org_id: null, details }]);
  });

  it('names the network address of a client that hangs up before the service records it', async () => {
    const [browser, holder] = [await newUser(), new pg.Client({ connectionString: app.database.ownerUrl })];
    const port = await app.listen();
    const cookie = [...browser.jar].map((pair) => pair.join('=')).join('; ');
    await holder.connect();

    const [event] = await eventsAfter(app, async () => {
      await holder.query('BEGIN; LOCK TABLE rate_limits');
      const { statusCode } = await answerTo(
        port,
        `GET /users HTTP/1.1\r\nhost: localhost\r\ncookie: ${cookie}\r\nconnection: close\r\n\r\n`,
      );
      expect(statusCode).toBe(403);
      await holder.end();
    });

    expect(event).toMatchObject({ type: 'access.refused', actor_id: browser.id, ip: '127.0.0.1' });
  });

  it('does not delay the answer', async () => {
    const browser = await newUser();
    const holder = new pg.Client({ connectionString: app.database.ownerUrl });
    await holder.connect();

    const [event] = await eventsAfter(app, async () => {
      await holder.query('BEGIN; LOCK TABLE audit_events');
      expect((await browser.get('/users')).status).toBe(403);
      await holder.end();
    });

    expect(event).toMatchObject({ type: 'access.refused', actor_id: browser.id });
  });
});
