import type { TestApp } from './test-app.js';
import { until } from './until.js';

/**
 * The events that something leaves, in their order; waits for the first, which may come after the answer. When members entered
 * is left out: the service writes it up to seconds after their requests, those of other tests among them.
 */
export async function eventsAfter({ database }: TestApp, act: () => Promise<unknown>) {
  const last = await database.value('SELECT id FROM audit_events ORDER BY id DESC LIMIT 1');
  await act();
  // biome-ignore lint/suspicious/noExplicitAny: the test that asks knows the columns.
  let events: any[] = [];
  await until(async () => {
    events = await database.rows(
      `SELECT type, actor_id, user_id, org_id, ip, user_agent, details FROM audit_events
        WHERE id > coalesce($1, '00000000-0000-0000-0000-000000000000'::uuid)
          AND type <> 'member.entered' ORDER BY id`,
      [last],
    );
    return events.length > 0;
  });
  return events;
}

/** Resolves once every event is a link of its chain. */
export async function linked({ database }: TestApp): Promise<void> {
  await until(async () => {
    await database.rows('NOTIFY audit');
    return !(await database.value('SELECT EXISTS (SELECT FROM audit_events WHERE chain_position IS NULL)'));
  });
}

/** The details of the events of a type about a user, oldest first. */
export async function detailsOf(app: TestApp, userId: string, type: string): Promise<object[]> {
  const rows = await app.database.rows(
    'SELECT details FROM audit_events WHERE user_id = $1 AND type = $2 ORDER BY id',
    [userId, type],
  );
  return rows.map(({ details }) => details);
}
