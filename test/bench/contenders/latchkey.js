import { readFileSync } from 'node:fs';
import { USER_AGENT } from '../seeds.js';

/** What every seeded user logs in with. */
export const PASSWORD = 'correct horse battery staple';

/** As in production, but for the database's address and the port; no person gets a mail, and nothing asks the internet. */
export const SETTINGS = {
  SVC_ENVIRONMENT: 'beta',
  SVC_BASE_WEB_URL: 'https://app.example.com',
  SVC_BASE_API_URL: 'https://api.example.com',
  SVC_EMAIL_PROVIDER: 'stub',
  SVC_BREACH_CHECK: 'off',
  SVC_JWT_SECRET_KEY: 'a secret that only the bench knows and has 32 and more',
  SVC_CRON_SECRET: 'a cron secret of the bench that has 32 and more',
};

/** What the image hands to Node. */
const dockerfile = readFileSync(new URL('../../../Dockerfile', import.meta.url), 'utf8');
export const nodeFlags = JSON.parse(/^CMD (.+)$/m.exec(dockerfile)[1]).filter((word) =>
  word.startsWith('--'),
);

export function cookie(token) {
  return `session_id=${token}`;
}

/** `expiry` is SQL for when the n-th session expires; `settings` are those of the service that will use the database. */
export async function seed(database, { users, sessions, expiry = "now() + '1 day'", settings = {} }) {
  const passwordHash = await prepare(database, settings);
  await database.query(
    `INSERT INTO users (id, email, name, email_verified_at, password_hash, password_changed_at)
     SELECT bench_user_id(n), bench_email(n), 'Ada', now(), $2, now() FROM generate_series(1, $1::int) n`,
    [users, passwordHash],
  );
  await database.query(
    `INSERT INTO sessions (id, user_id, token_hash, auth_method, ip, user_agent, expires_at)
     SELECT uuidv7(), bench_user_id(n % $2 + 1), sha256(bench_token(n)::bytea), 'password', '203.0.113.7', $3, ${expiry}
       FROM generate_series(1, $1::int) n`,
    [sessions, users, USER_AGENT],
  );
}

/** Makes the tables, and returns the hash of the password. Loaded only here: the limit, which has the same tables, is not to carry it. */
async function prepare(database, settings) {
  const [{ parseEnvironment }, { migrate }, { PasswordHasher }] = await Promise.all([
    import('../../../dist/src/config/read-environment.js'),
    import('../../../dist/src/start/migrate.js'),
    import('../../../dist/src/passwords/password-hasher.js'),
  ]);
  const environment = parseEnvironment({ ...SETTINGS, ...settings, SVC_DATABASE_URL: database.url });
  await migrate(environment);
  const noQueue = { run: (work) => work() };
  return new PasswordHasher(environment, noQueue).hash(PASSWORD, { ip: null });
}

/** The built service, started as an operator starts it. */
export async function serve({ databaseUrl, port, settings = {} }) {
  Object.assign(process.env, SETTINGS, settings, { SVC_DATABASE_URL: databaseUrl, SVC_PORT: String(port) });
  await import('../../../dist/main.js');
}
