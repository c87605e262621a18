import cookies from '@fastify/cookie';
import session from '@fastify/session';
import fastify from 'fastify';
import pg from 'pg';
import { SECRET, signed } from '../seeds.js';

export function cookie(token) {
  return `sessionId=${signed(token)}`;
}

export async function seed(database, { users, sessions }) {
  await database.query(`
    CREATE TABLE users (id uuid PRIMARY KEY, email text NOT NULL UNIQUE, name text);
    CREATE TABLE sessions (sid text PRIMARY KEY, data jsonb NOT NULL, expires_at timestamptz NOT NULL);
    INSERT INTO users SELECT bench_user_id(n), bench_email(n), 'Ada' FROM generate_series(1, ${users}) n;
    INSERT INTO sessions
      SELECT bench_token(n), jsonb_build_object('userId', bench_user_id(n % ${users} + 1), 'cookie', '{"originalMaxAge":86400000}'::jsonb),
             now() + '1 day'
        FROM generate_series(1, ${sessions}) n;
  `);
}

/** Tuned: named statements, nothing saved that has not changed. It brings no store for PostgreSQL. */
export async function serve({ databaseUrl, port }) {
  const pool = new pg.Pool({ connectionString: databaseUrl });
  const app = fastify();
  await app.register(cookies);
  await app.register(session, {
    secret: SECRET,
    cookie: { secure: false },
    rolling: false,
    saveUninitialized: false,
    store: {
      get: (sid, done) =>
        pool.query({ ...FIND_SESSION, values: [sid] }).then(({ rows }) => done(null, rows[0]?.data), done),
    },
  });

  app.get('/users/me', async (request, reply) => {
    const { rows } = await pool.query({ ...FIND_USER, values: [request.session.userId] });
    return rows[0] ?? reply.code(401).send();
  });

  await app.listen({ port });
}

const FIND_SESSION = {
  name: 'find-session',
  text: 'SELECT data FROM sessions WHERE sid = $1 AND expires_at > now()',
};

const FIND_USER = { name: 'find-user', text: 'SELECT id, email, name FROM users WHERE id = $1' };
