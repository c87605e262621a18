import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verified } from '../support/accounts.js';
import { runCommand } from '../support/command-line.js';
import { crowd } from '../support/crowd.js';
import { Held } from '../support/lock-step.js';
import { TestApp } from '../support/test-app.js';

/** Preloaded: a second has gone by at each look at the clock, so that a run of twenty ends after as many batches. */
const HASTY_CLOCK = `data:text/javascript,${encodeURIComponent(`
  const now = performance.now.bind(performance);
  let looks = 0;
  performance.now = () => now() + 1_000 * ++looks;
`)}`;

/** More than twenty batches of a thousand. */
const ROWS = 25_000;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

describe('prune', () => {
  it('deletes what has expired', async () => {
    const email = await verified(app);
    await app.browser().post('/password/forgot', { email });
    await app.mailbox.last(email);
    await app.database.rows(`UPDATE one_time_tokens SET expires_at = now()`);

    const { code, output } = await runCommand(app, ['prune']);

    expect(code).toBe(0);
    expect(JSON.parse(output).pruned.one_time_tokens).toBeGreaterThan(0);
    expect(await app.database.rows('SELECT 1 FROM one_time_tokens')).toEqual([]);
  });

  it('goes on until nothing is left, and prints what all its runs deleted', async () => {
    const [person] = await crowd(app.database, 1);
    await app.database.rows(
      `INSERT INTO sessions (id, user_id, token_hash, auth_method, expires_at)
       SELECT gen_random_uuid(), $1, sha256(n::text::bytea), 'password', now() - interval '1 year'
         FROM generate_series(1, $2::int) n`,
      [person?.id, ROWS],
    );

    const { lines } = await runCommand(app, ['prune'], { NODE_OPTIONS: `--import=${HASTY_CLOCK}` });

    expect(JSON.parse(lines.at(-1) ?? '').pruned.sessions).toBe(ROWS);
  });

  it('ends with 1 when it cannot delete a row that another connection holds', async () => {
    const [person] = await crowd(app.database, 1);
    const insert = `INSERT INTO sessions (id, user_id, token_hash, auth_method, expires_at)
                    VALUES (gen_random_uuid(), $1, sha256('held'), 'password', now() - interval '1 year')`;
    await app.database.rows(insert, [person?.id]);
    const held = await Held.by(app.database, 'SELECT 1 FROM sessions FOR UPDATE', []);

    const { code, lines } = await runCommand(app, ['prune']);
    await held.release();

    expect(code).toBe(1);
    expect(JSON.parse(lines.at(-1) ?? '').pruned.sessions).toBe(0);
  });
});
