import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD } from '../../support/accounts.js';
import { Held } from '../../support/lock-step.js';
import { RECOVERY_LIMIT_MS, Scene, SOUND } from './scene.js';
import { Visitor } from './visitor.js';

const LOCKED_SECONDS = 30;

/** A wait for a connection, and one for the lock. */
const LONGEST_ANSWER_MS = 8_000;

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.set();
});
afterAll(() => scene.close());

/** Requests that have nothing to do with a locked table. */
const UNCONCERNED: Record<string, (visitor: Visitor) => Promise<unknown>> = {
  users: (visitor) => visitor.ask('GET', '/health/live', 200),
  sessions: (visitor) =>
    visitor.ask('POST', '/auth/signup', 202, { email: freshAddress(), password: PASSWORD }),
  audit_events: (visitor) => visitor.ask('POST', '/password/forgot', 202, { email: freshAddress() }),
};

describe(`a table locked for ${LOCKED_SECONDS} seconds`, () => {
  it('delays only the requests that need it, and those no longer than the time limit', async () => {
    await scene.play(async ({ ledger, database, balancer }) => {
      for (const [table, ask] of Object.entries(UNCONCERNED)) {
        scene.print(`locking ${table}`);
        await ledger.during(async () => {
          const held = await Held.by(database, `LOCK TABLE ${table}`, []);
          for (let second = 0; second < LOCKED_SECONDS; second++) {
            await ask(new Visitor(balancer.url, ledger));
            await setTimeout(1_000);
          }
          await held.release();
        });
        await setTimeout(RECOVERY_LIMIT_MS);
      }
    });

    expect(await scene.verdict('users, sessions, audit events locked')).toEqual(SOUND);
    expect(scene.ledger.longestAnswerMs).toBeLessThan(LONGEST_ANSWER_MS);
    expect(scene.ledger.cut).toBe(0);
  });
});
