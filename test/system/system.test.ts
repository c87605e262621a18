import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getMetadataStorage, IsOptional } from 'class-validator';
import { Environment } from '../../src/config/environment.js';
import { settingNames } from '../../src/config/read-environment.js';
import { variableName } from '../../src/config/variable-name.js';
import { isShown, Shown } from '../../src/config/variables.js';
import { loggedInAs } from '../support/accounts.js';
import { eventsAfter } from '../support/audit.js';
import { Held } from '../support/lock-step.js';
import type { Member } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

const SECRETS = {
  SVC_CRON_SECRET: 'the secret of the scheduler of 32 and more, the one that it takes the place of',
  SVC_IDP_CLIENT_ID: 'latchkey',
  SVC_IDP_CLIENT_SECRET: 'the secret of the client',
  SVC_STRIPE_SECRET_KEY: 'sk_test_never_presented',
  SVC_STRIPE_WEBHOOK_SECRET: 'whsec_never_presented',
  SVC_AI_API_KEY: 'sk-of-the-ai-provider',
  SVC_METRICS_TOKEN: 'the token of Prometheus of 32 and more',
  SVC_MAILAPI_API_KEY: 'SG.of-the-mail-provider',
  // Providers such as Postmark take the token of the server as user and as password.
  SVC_SMTP_USER: 'token-of-the-mail-server',
  SVC_SMTP_PASSWORD: 'token-of-the-mail-server',
};

/** Whatever is checked as a secret, or is a list of objects that have some. */
const RULES_OF_SECRETS = [
  'isSecretList',
  'areTokenKeys',
  'isApiKey',
  'isCredential',
  'isConnectionString',
  'isJsonList',
];
/** A list of objects that have none. */
const OPEN_LISTS = ['permissions', 'footerLinks'];
const NAMES_OF_SECRETS = /(Secret|Password|Keys?|Token)$|^database\w*Url$/;

let app: TestApp;
let admin: Member;
beforeAll(async () => {
  app = await TestApp.start({ ...SECRETS, SVC_LIMIT_CHANGE_PER_USER: '7/90m,50/1d' });
  admin = await loggedInAs(app, 'sys_admin');
});
afterAll(() => app.close());

const read = async () => (await admin.get('/system')).body.system;

interface Setting {
  name: string;
  value: string | null;
  fingerprint: string | null;
  is_default: boolean;
}

describe('a setting', () => {
  it('is shown only where its field says so', () => {
    class OfAProduct {
      @Shown(IsOptional())
      readonly color?: string;

      @IsOptional()
      readonly price?: string;
    }

    expect(['color', 'price', 'port'].map((name) => isShown(OfAProduct, name))).toEqual([true, false, false]);
  });

  it('is not shown where it is, or holds, a secret', () => {
    const rules = getMetadataStorage().getTargetValidationMetadatas(Environment, '', false, false);
    const secrets = rules.filter(
      ({ propertyName, name = '' }) => RULES_OF_SECRETS.includes(name) || NAMES_OF_SECRETS.test(propertyName),
    );

    expect(new Set(secrets.map(({ propertyName }) => propertyName)).size).toBeGreaterThan(15);
    const shown = secrets.filter(({ propertyName }) => isShown(Environment, propertyName));
    expect(shown.map(({ propertyName }) => propertyName)).toEqual(OPEN_LISTS);
  });
});

describe('GET /mails/states', () => {
  it('says of the mails what /system does, in a small answer', async () => {
    const { status, body, text } = await admin.get('/mails/states');

    expect([status, body]).toEqual([200, (await read()).mail]);
    expect(text.length).toBeLessThan(200);
  });
});

describe('GET /system', () => {
  it('says what runs, and how it stands', async () => {
    const system = await read();

    expect(system).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      commit: 'unknown',
      environment: 'dev',
      app_mode: 'b2c',
      instance: { host: hostname(), pid: process.pid, node: process.versions.node },
      health: { down: [], degraded: [] },
      database: { version: expect.stringMatching(/^\d+\./), migrations: 'current' },
      cron: { trigger: 'secret', last_success_at: null, is_late: false },
      mail: { provider: 'stub', fallback: null, key_refused: false },
      billing: { mode: 'test', customers: 0, unread_for_a_day: 0 },
      admins: { total: 1, without_factor: 1 },
    });
    expect(Date.parse(system.instance.started_at)).toBeLessThan(Date.now());
  });

  it('shows settings as their variables say them, and which are the defaults', async () => {
    const settings = new Map<string, Setting>(
      (await read()).settings.map((setting: Setting) => [setting.name, setting]),
    );
    const shown = (name: string) => {
      const { value, fingerprint, is_default } = settings.get(name) as Setting;
      return { value, fingerprint, is_default };
    };

    expect([...settings.keys()]).toEqual(settingNames().map(variableName));
    const plain = (value: string | null, is_default: boolean) => ({ value, fingerprint: null, is_default });
    expect(shown('SVC_PORT')).toEqual(plain('3000', true));
    expect(shown('SVC_BCRYPT_COST')).toEqual(plain('4', false));
    expect(shown('SVC_DATABASE_PREPARE')).toEqual(plain('true', true));
    expect(shown('SVC_CRON_SCHEDULE')).toEqual(plain(null, true));
    expect(shown('SVC_LIMIT_CHANGE_PER_USER')).toEqual(plain('7/90m,50/1d', false));
    expect(shown('SVC_LIMIT_LOGIN_PER_ACCOUNT')).toEqual(plain('10/15m,100/1d', true));
    expect(shown('SVC_CLOUDMAIL_CONNECTION_STRING')).toEqual(plain(null, true));
  });

  it('shows of a secret only a fingerprint, of each value one, that is the same on another replica', async () => {
    const { text, body } = await admin.get('/system');
    const other = await TestApp.start(SECRETS, { database: app.database });
    const browser = other.browser();
    for (const cookie of admin.jar) browser.jar.set(...cookie);
    const theirs = (await browser.get('/system')).body.system.settings;
    await other.nest.close();

    for (const secret of Object.values(SECRETS).filter((value) => value !== 'latchkey'))
      for (const part of secret.split(', ')) expect(text).not.toContain(part);
    for (const { databaseUrl = '', jwtSecretKey } of [app.nest.get(Environment)])
      for (const secret of [databaseUrl, ...jwtSecretKey]) expect(text).not.toContain(secret);

    const secrets = (settings: Setting[]) => settings.filter(({ fingerprint }) => fingerprint !== null);
    expect(secrets(body.system.settings)).toEqual(secrets(theirs));
    const fingerprintOf = (name: string) =>
      body.system.settings.find((setting: Setting) => setting.name === name).fingerprint;
    expect(fingerprintOf('SVC_CRON_SECRET')).toMatch(/^[\da-f]{8},[\da-f]{8}$/);
    expect(fingerprintOf('SVC_DATABASE_URL')).toMatch(/^[\da-f]{8}$/);
    expect(fingerprintOf('SVC_DATABASE_OWNER_URL')).toBeNull();
  });

  it('makes other fingerprints of the same secrets under another key', async () => {
    const fingerprints = ({ settings }: { settings: Setting[] }) =>
      settings.filter(({ name }) => name === 'SVC_AI_API_KEY').map(({ fingerprint }) => fingerprint);
    const other = await TestApp.start(
      { ...SECRETS, SVC_JWT_SECRET_KEY: 'another secret of 32 or more characters' },
      { database: app.database },
    );
    const browser = other.browser();
    for (const cookie of admin.jar) browser.jar.set(...cookie);
    const theirs = (await browser.get('/system')).body.system;
    await other.nest.close();

    expect(fingerprints(theirs)).not.toEqual(fingerprints(await read()));
  });

  it('says that the cron is late, and that an operator has to look after it', async () => {
    await app.database.rows(`UPDATE scheduled_jobs SET created_at = now() - interval '27 hours'`);
    const { cron, health } = await read();
    expect([cron.is_late, health.degraded]).toEqual([true, ['cron']]);
  });

  it('counts the mails by state, and the admins without a factor', async () => {
    await app.database.rows(
      `INSERT INTO outbox_mails (id, kind, recipient, subject, due_at, created_at)
       VALUES (gen_random_uuid(), 'test', 'ada@example.com', 'Some', now() + interval '1 day', '2026-01-31T09:30:00Z')`,
    );
    await app.database.rows(
      `INSERT INTO outbox_mails (id, kind, recipient, subject, finished_at, outcome)
       VALUES (gen_random_uuid(), 'test', 'ada@example.com', 'Some', now(), 'dead')`,
    );
    const other = await loggedInAs(app, 'sys_admin');
    await app.database.rows(
      `INSERT INTO totp_factors (user_id, secret, confirmed_at) VALUES ($1, '', now())`,
      [other.id],
    );

    const { mail, admins } = await read();

    expect(mail).toMatchObject({
      states: { waiting: 1, dead: 1, expired: 0 },
      oldest_waiting_at: '2026-01-31T09:30:00.000Z',
    });
    expect(admins).toEqual({ total: 2, without_factor: 1 });
  });

  it('says that the database is newer than the service', async () => {
    await app.database.rows(
      `INSERT INTO migrations (timestamp, name) VALUES (1999999999999, 'AddWings1999999999999')`,
    );
    const { database, health } = await read();
    await app.database.rows('DELETE FROM migrations WHERE timestamp = 1999999999999');

    expect(database.migrations).toBe('ahead');
    expect(health.degraded).toContain('migrations');
  });
});

describe('POST /system/cron', () => {
  it('does what /cron does, and records the admin', async () => {
    const events = await eventsAfter(app, async () => {
      expect(await admin.post('/system/cron')).toMatchObject({
        status: 200,
        body: { pruned: { sessions: 0 }, skipped: false, complete: true },
      });
    });

    expect(events).toMatchObject([{ type: 'cron.ran', actor_id: admin.id }]);
    const { cron } = await read();
    expect(cron).toMatchObject({ last_success_at: expect.any(String), is_late: false });
  });

  it('does nothing while another run is under way', async () => {
    const held = await Held.by(app.database, 'SELECT pg_advisory_xact_lock(5234002)', []);
    const answer = await admin.post('/system/cron');
    await held.release();

    expect(answer).toMatchObject({ status: 200, body: { skipped: true } });
  });
});

describe('an ORG_ADMIN', () => {
  it('sees nothing of it, and runs no cron', async () => {
    const orgAdmin = await loggedInAs(app, 'org_admin');
    for (const answer of [await orgAdmin.get('/system'), await orgAdmin.post('/system/cron')])
      expect(answer).toMatchObject({ status: 403, body: { code: 'InsufficientRole' } });
  });
});
