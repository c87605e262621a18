import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD, signedUp, verified } from '../support/accounts.js';
import type { Answer } from '../support/http-mail-stand-in.js';
import type { Behaviour } from '../support/mail-stand-in.js';
import { MailapiStandIn } from '../support/mailapi-stand-in.js';
import { changeMails, forgetMails, mailTimePasses, workersRest } from '../support/mails.js';
import { refuseOneNote } from '../support/refused-note.js';
import { statementsDuring } from '../support/statements.js';
import { TestApp } from '../support/test-app.js';
import { Gate, until } from '../support/until.js';

let mailapi: MailapiStandIn;
let app: TestApp;
beforeAll(async () => {
  mailapi = await MailapiStandIn.start();
  app = await TestApp.start({ ...mailapi.variables, SVC_EMAIL_TIMEOUT_SECONDS: '1' });
});
afterAll(async () => {
  await app.close();
  await mailapi.close();
});
beforeEach(() => {
  mailapi.delivered.length = 0;
});
afterEach(async () => {
  mailapi.answer('accept');
  await workersRest(app.database);
  await forgetMails(app.database);
});

/** A pause so long that no worker tries the provider again while a test looks, however slow the machine. */
const DOWN: Answer = { status: 503, headers: { 'retry-after': '600' } };

/** For hundreds of mails on a machine that has other things to do. */
const PATIENCE_MS = 120_000;

const recipients = () => mailapi.delivered.map(({ to }) => to);
const mailTo = async (email: string) =>
  (await app.database.rows('SELECT * FROM outbox_mails WHERE recipient = $1', [email]))[0];

describe('a mail', () => {
  it('is sent soon after the request, and its content erased', async () => {
    const email = await signedUp(app);
    await workersRest(app.database);

    expect(mailapi.delivered).toMatchObject([{ to: email, subject: 'Confirm your email address' }]);
    expect(await mailTo(email)).toMatchObject({ outcome: 'sent', content: null, attempts: 1 });
  });

  it('does not exist when the change it reports is rolled back', async () => {
    const email = freshAddress();
    await app.database.rows(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'at the commit'; END $$;
      CREATE CONSTRAINT TRIGGER fails AFTER INSERT ON signups DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION fail()`);

    const { status } = await app.browser().post('/auth/signup', { email, password: PASSWORD });
    await app.database.rows('DROP TRIGGER fails ON signups; DROP FUNCTION fail()');
    await workersRest(app.database);

    expect(status).toBe(500);
    expect(await mailTo(email)).toBeUndefined();
    expect(recipients()).toEqual([]);
  });

  it('waits without a link that a person who reads the database could follow', async () => {
    mailapi.answer(DOWN);
    const email = await signedUp(app);
    await workersRest(app.database);
    const rows = JSON.stringify([await mailTo(email)], (_, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
    );

    mailapi.answer('accept');
    await mailTimePasses(app.database, 600);

    const token = await mailapi.tokenMailedTo(email);
    const verification = await app.browser().post('/auth/verify-email', { token, password: PASSWORD });
    expect(verification.status).toBe(200);
    expect(rows).toContain(email);
    expect(rows).not.toContain(token);
    expect(rows).not.toContain('verify-email?');
  });

  it('is dropped once its link has expired', async () => {
    mailapi.answer(DOWN);
    const email = await signedUp(app);
    await workersRest(app.database);

    mailapi.answer('accept');
    await changeMails(app.database, `UPDATE outbox_mails SET expires_at = now() - interval '1 second'`);
    await mailTimePasses(app.database, 600);

    expect(recipients()).toEqual([]);
    expect(await mailTo(email)).toMatchObject({ outcome: 'expired', content: null });
  });

  it('is a dead letter when the provider refuses it, and holds up no other', async () => {
    mailapi.answerNext({ status: 400, body: { errors: [{ field: 'personalizations.0.to' }] } });
    const refused = await signedUp(app);
    await workersRest(app.database);
    const other = await signedUp(app);
    await workersRest(app.database);

    expect(recipients()).toEqual([other]);
    const mail = await mailTo(refused);
    expect(mail).toMatchObject({ outcome: 'dead', attempts: 1, content: expect.any(Buffer) });
    expect(mail.last_error).toContain('400');
    expect(mail.last_error).not.toContain(refused);
  });

  it('is a dead letter when it still fails after three days, and not before', async () => {
    mailapi.answer(DOWN);
    const email = await signedUp(app);
    await workersRest(app.database);

    await changeMails(
      app.database,
      `UPDATE outbox_mails SET attempts = 90, expires_at = now() + interval '7 days'`,
    );
    await mailTimePasses(app.database, 71 * 3600);
    expect(await mailTo(email)).toMatchObject({ outcome: null, attempts: 91 });
    await mailTimePasses(app.database, 8 * 3600);

    expect(await mailTo(email)).toMatchObject({ outcome: 'dead', attempts: 92 });
  });

  it('is tried for some hours more when an operator sends a dead letter again', async () => {
    mailapi.answer(DOWN);
    const email = await signedUp(app);
    await workersRest(app.database);
    await changeMails(
      app.database,
      `UPDATE outbox_mails SET attempts = 62, created_at = now() - interval '4 days', expires_at = now() + interval '7 days'`,
    );

    await mailTimePasses(app.database, 600);
    expect(await mailTo(email)).toMatchObject({ outcome: null, attempts: 63 });
    await mailTimePasses(app.database, 600);

    expect(await mailTo(email)).toMatchObject({ outcome: 'dead', attempts: 64 });
  });

  it('is a dead letter, and never reaches its reader garbled, when it was encrypted with another secret', async () => {
    mailapi.answer(DOWN);
    const email = await signedUp(app);
    await workersRest(app.database);
    mailapi.answer('accept');
    await changeMails(app.database, 'UPDATE outbox_mails SET content = sha256(content) || content');

    await mailTimePasses(app.database, 600);

    expect(recipients()).toEqual([]);
    expect(await mailTo(email)).toMatchObject({
      outcome: 'dead',
      last_error: 'encrypted with another SVC_JWT_SECRET_KEY',
    });
  });
});

describe('a mail provider', () => {
  const down: [string, Behaviour<Answer>][] = [
    ['answers 503', { status: 503 }],
    ['answers 429', { status: 429, headers: { 'retry-after': '20' } }],
    ['refuses the key', { status: 401 }],
    ['hangs', 'hang'],
    ['hangs up', 'hang up'],
  ];

  it.each(down)(
    'that %s for five minutes delays each mail, and loses and doubles none',
    async (_, behaviour) => {
      mailapi.answer(behaviour);
      const addresses: string[] = [];
      for (let minute = 0; minute < 5; minute++) {
        addresses.push(await signedUp(app), await signedUp(app));
        for (const _step of [1, 2, 3]) await mailTimePasses(app.database, 20);
      }
      expect(recipients()).toEqual([]);

      mailapi.answer('accept');
      for (const _step of [1, 2, 3]) await mailTimePasses(app.database, 20);

      expect([...recipients()].sort()).toEqual([...addresses].sort());
      const [, ...afterTheFirst] = recipients();
      expect(afterTheFirst).toEqual(addresses.filter((address) => afterTheFirst.includes(address)));
    },
  );

  it('gets one attempt at a time while it is down, and fewer and fewer', async () => {
    mailapi.answer({ status: 503 });
    for (let mail = 0; mail < 12; mail++) await signedUp(app);
    await workersRest(app.database);
    const before = mailapi.requests;

    for (let second = 0; second < 120; second += 5) await mailTimePasses(app.database, 5);

    expect(mailapi.requests - before).toBeLessThanOrEqual(8);
    expect(mailapi.requests - before).toBeGreaterThanOrEqual(3);
  });

  it('gets no attempt for as long as it asks for a pause', async () => {
    mailapi.answer({ status: 429, headers: { 'retry-after': '120' } });
    await signedUp(app);
    await workersRest(app.database);
    const before = mailapi.requests;

    await mailTimePasses(app.database, 60);
    expect(mailapi.requests).toBe(before);
    await mailTimePasses(app.database, 65);
    expect(mailapi.requests).toBe(before + 1);
  });

  it('that is down now and then delivers every mail once', async () => {
    const addresses: string[] = [];
    for (let round = 0; round < 6; round++) {
      mailapi.answerNext({ status: 503 }, 'accept', 'hang up', { status: 500 });
      addresses.push(await signedUp(app), await signedUp(app));
      await mailTimePasses(app.database, 20);
    }
    for (let step = 0; step < 9; step++) await mailTimePasses(app.database, 30);

    expect([...recipients()].sort()).toEqual([...addresses].sort());
  });

  it('that is down changes nothing for requests: they get the same answers by the same statements', async () => {
    const known = await signedUp(app);
    await workersRest(app.database);
    const requests = [
      () => app.browser().post('/auth/signup', { email: freshAddress(), password: PASSWORD }),
      () => app.browser().post('/password/forgot', { email: known }),
      () => app.browser().post('/password/forgot', { email: freshAddress() }),
    ];
    const observe = async () => {
      const seen = [];
      for (const request of requests) {
        const statements = await statementsDuring(async () => seen.push((await request()).status));
        seen.push(...statements);
      }
      return seen;
    };

    const up = await observe();
    mailapi.answer('hang');
    const hanging = await observe();
    mailapi.answer({ status: 401 });
    await workersRest(app.database);

    expect(hanging).toEqual(up);
  });
});

describe('the worker', () => {
  it('whose note the database refuses fails only once its other sends are over, and noted', async () => {
    mailapi.answer(DOWN);
    for (let mail = 0; mail < 10; mail++) await signedUp(app);
    await workersRest(app.database);
    const gate = new Gate();
    mailapi.answerNext({ status: 202 });
    mailapi.answer({ status: 202, after: gate.opened });
    const hasFailed = () => app.log.some((line) => line.includes('job.failed'));
    const outcomes = () =>
      app.database.rows('SELECT outcome, count(*)::int FROM outbox_mails GROUP BY 1 ORDER BY 1');

    await refuseOneNote(app.database, 'outbox_mails', () =>
      changeMails(
        app.database,
        'DELETE FROM mail_outages; UPDATE outbox_mails SET due_at = now(); NOTIFY outbox',
      ),
    );
    expect(hasFailed()).toBe(false);
    gate.open();
    await until(hasFailed);

    expect(await outcomes()).toEqual([
      { outcome: 'sent', count: 9 },
      { outcome: null, count: 1 },
    ]);
    await mailTimePasses(app.database, 60);
    expect(await outcomes()).toEqual([{ outcome: 'sent', count: 10 }]);
  });
});

describe('replicas', () => {
  it(
    'share 300 mails, and send each once',
    async () => {
      const replica = await TestApp.start(mailapi.variables, { database: app.database });
      const addresses = await Promise.all(Array.from({ length: 10 }, () => verified(app)));
      await workersRest(app.database);
      mailapi.delivered.length = 0;
      await forgetMails(app.database);

      await app.database.rows(
        `INSERT INTO link_requests (id, purpose, email)
       SELECT gen_random_uuid(), 'reset-password', email FROM unnest($1::text[]) email, generate_series(1, 30)`,
        [addresses],
      );
      await app.database.rows('NOTIFY link_requests');
      await workersRest(app.database, PATIENCE_MS);

      expect(mailapi.delivered).toHaveLength(300);
      expect(new Set(mailapi.delivered.map(({ id }) => id)).size).toBe(300);
      const workers = await app.database.rows('SELECT outcome, attempts FROM outbox_mails GROUP BY 1, 2');
      expect(workers).toEqual([{ outcome: 'sent', attempts: 1 }]);
      await replica.nest.close();
    },
    PATIENCE_MS,
  );

  it('do not overwrite the result of the one that took a mail over when their lease had ended', async () => {
    const replica = await TestApp.start(mailapi.variables, { database: app.database });
    const [gate, before] = [new Gate(), mailapi.requests];
    mailapi.answerNext({ status: 400, after: gate.opened }, { status: 503 });
    const email = await signedUp(app);
    await until(() => mailapi.requests > before);
    const { id } = await mailTo(email);

    await changeMails(app.database, 'UPDATE outbox_mails SET leased_until = now()');
    await app.database.rows('NOTIFY outbox');
    await until(async () => (await mailTo(email)).last_error !== null);
    gate.open();
    await until(() =>
      [...app.log, ...replica.log].some((line) => line.includes(id) && line.includes('mail.given_up')),
    );
    await mailTimePasses(app.database, 60);

    expect(recipients()).toEqual([email]);
    expect(await mailTo(email)).toMatchObject({ outcome: 'sent', attempts: 3 });
    await replica.nest.close();
  });
});
