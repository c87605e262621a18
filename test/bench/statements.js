const COUNT = `
  SELECT coalesce(sum(calls), 0)::float AS statements,
         coalesce(sum(wal_bytes), 0)::float AS "walBytes",
         coalesce(sum(wal_bytes) FILTER (WHERE query ~* '^\\s*select'), 0)::float AS "walBytesOfReads",
         coalesce(sum(rows) FILTER (WHERE query ~* '^\\s*(insert|update|delete)'), 0)::float AS "writtenRows"
    FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
   WHERE d.datname = $1`;

/** What a database has been asked so far, and what it has written for it. */
export async function countStatements(postgres, database) {
  const [counts] = await postgres.query(COUNT, [database.name]);
  return counts;
}

/** The longest that one execution of a statement of the database took, in milliseconds, by the beginning of its text. */
export async function longestExecution(postgres, database, beginning) {
  const [{ ms }] = await postgres.query(
    `SELECT max(max_exec_time) AS ms FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
      WHERE d.datname = $1 AND starts_with(ltrim(query, E' \\n'), $2)`,
    [database.name, beginning],
  );
  return ms;
}
