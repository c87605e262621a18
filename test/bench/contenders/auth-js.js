import { getSession } from '@auth/express';
import PostgresAdapter from '@auth/pg-adapter';
import express from 'express';
import pg from 'pg';
import { SECRET } from '../seeds.js';

export function cookie(token) {
  return `authjs.session-token=${token}`;
}

/** The tables are those of the adapter's documentation, with the index on the token that it leaves out. */
export async function seed(database, { users, sessions }) {
  await database.query(`
    CREATE TABLE users (id serial PRIMARY KEY, name text, email text, "emailVerified" timestamptz, image text);
    CREATE TABLE sessions (
      id serial PRIMARY KEY, "userId" int NOT NULL, expires timestamptz NOT NULL, "sessionToken" text NOT NULL UNIQUE
    );
    INSERT INTO users SELECT n, 'Ada', bench_email(n) FROM generate_series(1, ${users}) n;
    INSERT INTO sessions SELECT n, n % ${users} + 1, now() + '30 days', bench_token(n)
      FROM generate_series(1, ${sessions}) n;
  `);
}

export async function serve({ databaseUrl, port }) {
  const pool = new pg.Pool({ connectionString: databaseUrl });
  const config = {
    adapter: PostgresAdapter(pool),
    secret: SECRET,
    session: { strategy: 'database' },
    trustHost: true,
    providers: [],
  };
  const app = express();

  app.get('/users/me', async (request, response) => {
    const session = await getSession(request, config);
    if (session) response.json(session.user);
    else response.sendStatus(401);
  });

  app.listen(port);
}
