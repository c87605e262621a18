import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { fromNodeHeaders } from 'better-auth/node';
import fastify from 'fastify';
import pg from 'pg';
import { SECRET, signature } from '../seeds.js';

export function cookie(token) {
  return `better-auth.session_token=${encodeURIComponent(`${token}.${signature(token)}`)}`;
}

export async function seed(database, { users, sessions }) {
  const settings = settingsFor(database.url);
  const { runMigrations } = await getMigrations(settings);
  await runMigrations();
  await settings.database.end();

  await database.query(`
    INSERT INTO "user" (id, name, email, "emailVerified")
      SELECT bench_user_id(n), 'Ada', bench_email(n), true FROM generate_series(1, ${users}) n;
    INSERT INTO session (id, "expiresAt", token, "updatedAt", "userId")
      SELECT n, now() + '7 days', bench_token(n), now(), bench_user_id(n % ${users} + 1)
        FROM generate_series(1, ${sessions}) n;
  `);
}

/** Without its cookie cache, which would let a session outlive its end. */
export async function serve({ databaseUrl, port }) {
  const auth = betterAuth({ ...settingsFor(databaseUrl), baseURL: `http://127.0.0.1:${port}` });
  const app = fastify();

  app.get('/users/me', async (request, reply) => {
    const session = await auth.api.getSession({ headers: fromNodeHeaders(request.headers) });
    return session?.user ?? reply.code(401).send();
  });

  await app.listen({ port });
}

function settingsFor(databaseUrl) {
  return {
    secret: SECRET,
    database: new pg.Pool({ connectionString: databaseUrl }),
    // Session and user with one statement; 1.7 reads `experimental.joins` no longer.
    advanced: { database: { joins: true } },
  };
}
