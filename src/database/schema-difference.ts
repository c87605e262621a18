/** How the migrations of a database differ from those of this version, by their names. */
export interface SchemaDifference {
  /** What this version has and the database has not seen. */
  missing: string[];
  /** What the database has seen and this version does not have. */
  unknown: string[];
}

// biome-ignore lint/suspicious/noExplicitAny: the question knows the columns of its rows.
type Statements = { query: (sql: string) => Promise<any[]> };

/** Compares the migrations that a database has seen with the names of those of this version; a fresh one has seen none. */
export async function schemaDifference(database: Statements, names: string[]): Promise<SchemaDifference> {
  const [{ exists }] = await database.query(`SELECT to_regclass('migrations') IS NOT NULL AS exists`);
  const rows: { name: string }[] = exists ? await database.query('SELECT name FROM migrations') : [];
  const applied = rows.map(({ name }) => name);
  return {
    missing: names.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !names.includes(name)),
  };
}
