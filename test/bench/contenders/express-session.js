import connectPgSimple from 'connect-pg-simple';
import express from 'express';
import session from 'express-session';
import pg from 'pg';
import { SECRET, signed } from '../seeds.js';

/** `s:` marks a signed cookie. */
export function cookie(token) {
  return `connect.sid=${encodeURIComponent(`s:${signed(token)}`)}`;
}

/** The session table is that of connect-pg-simple's table.sql. */
export async function seed(database, { users, sessions }) {
  await database.query(`
    CREATE TABLE users (id uuid PRIMARY KEY, email text NOT NULL UNIQUE, name text);
    CREATE TABLE session (sid varchar NOT NULL PRIMARY KEY, sess json NOT NULL, expire timestamp(6) NOT NULL);
    CREATE INDEX "IDX_session_expire" ON session (expire);
    INSERT INTO users SELECT bench_user_id(n), bench_email(n), 'Ada' FROM generate_series(1, ${users}) n;
    INSERT INTO session
      SELECT bench_token(n), json_build_object('userId', bench_user_id(n % ${users} + 1), 'cookie', '{"originalMaxAge":86400000}'::json),
             now() + '1 day'
        FROM generate_series(1, ${sessions}) n;
  `);
}

/** Tuned: without the touch, which writes a row at every request. */
export async function serve({ databaseUrl, port }) {
  const pool = new pg.Pool({ connectionString: databaseUrl });
  const Store = connectPgSimple(session);
  const app = express();
  app.use(
    session({
      secret: SECRET,
      resave: false,
      saveUninitialized: false,
      store: new Store({ pool, disableTouch: true, pruneSessionInterval: false }),
    }),
  );

  app.get('/users/me', async (request, response) => {
    const { rows } = await pool.query({ ...FIND_USER, values: [request.session.userId] });
    if (rows[0]) response.json(rows[0]);
    else response.sendStatus(401);
  });

  app.listen(port);
}

const FIND_USER = { name: 'find-user', text: 'SELECT id, email, name FROM users WHERE id = $1' };
