import { NodePostgresAdapter } from '@lucia-auth/adapter-postgresql';
import fastify from 'fastify';
import { Lucia } from 'lucia';
import pg from 'pg';

export function cookie(token) {
  return `auth_session=${token}`;
}

/** Thirty days from now: lucia prolongs, and so writes, a session past half its life. */
export async function seed(database, { users, sessions }) {
  await database.query(`
    CREATE TABLE users (id text PRIMARY KEY, email text NOT NULL UNIQUE, name text);
    CREATE TABLE sessions (id text PRIMARY KEY, user_id text NOT NULL REFERENCES users, expires_at timestamptz NOT NULL);
    INSERT INTO users SELECT bench_user_id(n), bench_email(n), 'Ada' FROM generate_series(1, ${users}) n;
    INSERT INTO sessions SELECT bench_token(n), bench_user_id(n % ${users} + 1), now() + '30 days'
      FROM generate_series(1, ${sessions}) n;
  `);
}

export async function serve({ databaseUrl, port }) {
  const pool = new pg.Pool({ connectionString: databaseUrl });
  const lucia = new Lucia(new NodePostgresAdapter(pool, { user: 'users', session: 'sessions' }), {
    getUserAttributes: ({ email, name }) => ({ email, name }),
  });
  const app = fastify();

  app.get('/users/me', async (request, reply) => {
    const sessionId = lucia.readSessionCookie(request.headers.cookie ?? '');
    const { user } = await lucia.validateSession(sessionId ?? '');
    return user ?? reply.code(401).send();
  });

  await app.listen({ port });
}
