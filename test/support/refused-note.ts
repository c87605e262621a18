import type { TestDatabase } from './test-database.js';
import { until } from './until.js';

/** Does something that makes a worker send rows of a queue, and has PostgreSQL refuse the first note that one was sent. */
export async function refuseOneNote<Result>(
  database: TestDatabase,
  table: string,
  sendRows: () => Promise<Result>,
): Promise<Result> {
  await database.rows(`
    CREATE SEQUENCE refused_notes;
    CREATE FUNCTION refuse_note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
      BEGIN PERFORM nextval('refused_notes'); RAISE 'refused'; END $$;
    CREATE TRIGGER refuses_note BEFORE UPDATE ON ${table}
      FOR EACH ROW WHEN (NEW.outcome = 'sent') EXECUTE FUNCTION refuse_note()`);
  const result = await sendRows();
  await until(() => database.value('SELECT is_called FROM refused_notes'));
  await database.rows(
    `DROP TRIGGER refuses_note ON ${table}; DROP FUNCTION refuse_note; DROP SEQUENCE refused_notes`,
  );
  return result;
}
