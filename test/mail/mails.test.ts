import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { uuidv7 } from 'uuidv7';
import { Environment } from '../../src/config/environment.js';
import { Encryption } from '../../src/secrets/encryption.js';
import { freshAddress, loggedInAs } from '../support/accounts.js';
import { eventsAfter } from '../support/audit.js';
import type { Member } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let admin: Member;
beforeAll(async () => {
  app = await TestApp.start();
  admin = await loggedInAs(app, 'sys_admin');
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.database.rows('TRUNCATE outbox_mails');
});

const LINK = 'http://localhost:5173/reset-password?token=opens-the-account';

/** A mail that no worker takes: it has ended, or is to be tried tomorrow. */
async function addMail(
  state: 'waiting' | 'sent' | 'expired' | 'dead',
  { to = freshAddress(), kind = 'password-reset' } = {},
): Promise<{ id: string; to: string }> {
  const { jwtSecretKey } = app.nest.get(Environment);
  const content = new Encryption(jwtSecretKey, 'mail').encrypt(JSON.stringify({ text: LINK, html: LINK }));
  const outcome = state === 'waiting' ? null : state;
  const id = uuidv7();
  await app.database.rows(
    `INSERT INTO outbox_mails (id, kind, recipient, subject, content, attempts, last_error, due_at, finished_at, outcome)
     VALUES ($1, $2, $3, 'Set a new password', $4, 2, 'mailapi answered 400', now() + interval '1 day',
             CASE WHEN $5::text IS NOT NULL THEN now() END, $5)`,
    [id, kind, to, content, outcome],
  );
  return { id, to };
}

const listed = async (query = '') => {
  const { status, body } = await admin.get(`/mails${query}`);
  expect(status).toBe(200);
  return body.data.map(({ id }: { id: string }) => id);
};

describe('GET /mails', () => {
  it('lists the mails, newest first, with all about them but their content', async () => {
    const [sent, dead] = [await addMail('sent'), await addMail('dead')];

    const { status, body, text } = await admin.get('/mails');

    expect(status).toBe(200);
    expect(body).toEqual({
      data: [
        {
          id: dead.id,
          kind: 'password-reset',
          to: dead.to,
          subject: 'Set a new password',
          language: 'en',
          state: 'dead',
          attempts: 2,
          last_error: 'mailapi answered 400',
          created_at: expect.any(String),
          due_at: expect.any(String),
          expires_at: null,
          finished_at: expect.any(String),
        },
        expect.objectContaining({ id: sent.id, state: 'sent' }),
      ],
      next_cursor: null,
    });
    expect(text).not.toMatch(/opens-the-account|content/);
  });

  it('filters by state and by address, however that is typed, and pages by key', async () => {
    const mails = {
      waiting: await addMail('waiting'),
      sent: await addMail('sent'),
      expired: await addMail('expired'),
      dead: await addMail('dead'),
    };

    for (const [state, { id }] of Object.entries(mails))
      expect(await listed(`?state=${state}`)).toEqual([id]);
    expect(await listed(`?to=${mails.sent.to.toUpperCase()}`)).toEqual([mails.sent.id]);
    expect(await listed(`?to=${mails.sent.to}&state=dead`)).toEqual([]);

    const first = (await admin.get('/mails?limit=3')).body;
    expect(await listed(`?limit=3&cursor=${first.next_cursor}`)).toEqual([mails.waiting.id]);
  });

  it.each(['state=lost', 'state=', 'to=ada', 'to=%00', 'kind=verification', 'limit=0'])(
    'refuses ?%s',
    async (query) => {
      expect(await admin.get(`/mails?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'ValidationFailed', errors: [{ field: query.split('=')[0] }] },
      });
    },
  );
});

describe('GET /mails?search=', () => {
  it('finds the mails to addresses that have the text in them, and pages through them', async () => {
    const one = await addMail('sent', { to: 'ada.lovelace@example.com' });
    const two = await addMail('dead', { to: 'lovelace@example.net' });
    const other = await addMail('sent', { to: 'grace@example.com' });

    expect(await listed('?search=LOVELACE')).toEqual([two.id, one.id]);
    expect(await listed('?search=lovelace&state=dead')).toEqual([two.id]);
    expect(await listed('?search=lovelace&to=ada.lovelace@example.com')).toEqual([one.id]);
    expect(await listed(`?search=${other.id}`)).toEqual([other.id]);
    expect(await listed('?search=_ace')).toEqual([]);
    const { next_cursor } = (await admin.get('/mails?search=example&limit=2')).body;
    expect(await listed(`?search=example&limit=2&cursor=${next_cursor}`)).toEqual([one.id]);
  });

  it('finds one behind thousands of others', async () => {
    const rare = await addMail('sent', { to: 'needle@example.com' });
    await app.database.rows(
      `INSERT INTO outbox_mails (id, kind, recipient, subject, finished_at, outcome)
       SELECT gen_random_uuid(), 'test', 'hay' || n || '@example.com', 'Some', now(), 'sent' FROM generate_series(1, 6000) n`,
    );
    await app.database.rows(
      `UPDATE outbox_mails SET id = '00000000-0000-7000-8000-000000000001' WHERE id = $1`,
      [rare.id],
    );

    expect(await listed('?search=needle')).toEqual(['00000000-0000-7000-8000-000000000001']);
  });
});

describe('POST /mails/:id/retry', () => {
  it('puts a dead letter back, which is then sent, and records the admin', async () => {
    const { id, to } = await addMail('dead');

    const events = await eventsAfter(app, async () => {
      expect(await admin.post(`/mails/${id}/retry`)).toMatchObject({
        status: 200,
        body: { mail: { id, to, state: 'waiting', attempts: 0, finished_at: null } },
      });
    });

    expect((await app.mailbox.last(to)).text).toContain(LINK);
    expect(events).toMatchObject([
      { type: 'mail.retried', actor_id: admin.id, details: { retried: 1, mail_id: id } },
    ]);
  });

  it.each(['waiting', 'sent', 'expired'] as const)('refuses a mail that is %s', async (state) => {
    const { id } = await addMail(state);
    const before = await app.database.rows('SELECT * FROM outbox_mails');

    expect(await admin.post(`/mails/${id}/retry`)).toMatchObject({ status: 409, body: { code: 'NotDead' } });
    expect(await app.database.rows('SELECT * FROM outbox_mails')).toEqual(before);
  });

  it('finds no mail there is not', async () => {
    expect(await admin.post(`/mails/${randomUUID()}/retry`)).toMatchObject({ status: 404 });
  });

  it('revives a mail once when two admins ask at once', async () => {
    const { id } = await addMail('dead');
    const answers = await Promise.all([admin.post(`/mails/${id}/retry`), admin.post(`/mails/${id}/retry`)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

describe('POST /mails/retry-dead', () => {
  it('puts all dead letters back and no other mail, and records how many', async () => {
    const dead = [await addMail('dead'), await addMail('dead')];
    await addMail('expired');

    const events = await eventsAfter(app, async () => {
      expect(await admin.post('/mails/retry-dead')).toMatchObject({ status: 200, body: { revived: 2 } });
      expect((await admin.post('/mails/retry-dead')).body).toEqual({ revived: 0 });
    });

    for (const { to } of dead) expect((await app.mailbox.last(to)).text).toContain(LINK);
    expect(await listed('?state=expired')).toHaveLength(1);
    expect(events).toMatchObject([{ type: 'mail.retried', actor_id: admin.id, details: { retried: 2 } }]);
    expect(events).toHaveLength(1);
  });
});

describe('more than a thousand dead letters', () => {
  it('are put back with an event for each thousand', async () => {
    await app.database.rows(`INSERT INTO mail_outages VALUES ('stub', 1, now() + interval '1 hour', false)`);
    await app.database.rows(
      `INSERT INTO outbox_mails (id, kind, recipient, subject, finished_at, outcome)
       SELECT gen_random_uuid(), 'password-reset', 'ada@example.com', 'Set a new password', now(), 'dead'
         FROM generate_series(1, 1001)`,
    );
    const events = await eventsAfter(app, async () => {
      expect((await admin.post('/mails/retry-dead')).body).toEqual({ revived: 1001 });
    });

    expect(events.map(({ details }) => details)).toEqual([{ retried: 1000 }, { retried: 1 }]);
    // During the pause no worker holds a mail, and the worker locks the two tables in the other order.
    await app.database.rows('DELETE FROM outbox_mails');
    await app.database.rows('DELETE FROM mail_outages');
  });
});

describe('the outbox', () => {
  it('is closed to an ORG_ADMIN', async () => {
    const orgAdmin = await loggedInAs(app, 'org_admin');
    const { id } = await addMail('dead');

    for (const answer of [
      await orgAdmin.get('/mails'),
      await orgAdmin.post(`/mails/${id}/retry`),
      await orgAdmin.post('/mails/retry-dead'),
    ])
      expect(answer).toMatchObject({ status: 403, body: { code: 'InsufficientRole' } });
    expect(await listed('?state=dead')).toEqual([id]);
  });
});
