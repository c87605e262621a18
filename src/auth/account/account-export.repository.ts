import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ExportedPart } from './account-export.js';

/** Rows that are in memory at a time. */
const AT_A_TIME = 500;

/** A row, by the names of the file. */
export type ExportedRow = Record<string, unknown>;

/** Reads what the tables hold about one user, as it is at one instant. */
@Injectable()
export class AccountExportRepository {
  constructor(private readonly database: DataSource) {}

  /** Lends a view of the database in which nothing changes, until its reader ends. */
  async *inSnapshot<Part>(
    read: (snapshot: EntityManager) => AsyncIterable<Part>,
  ): AsyncGenerator<Part, void, undefined> {
    const runner = this.database.createQueryRunner();
    try {
      await runner.startTransaction('REPEATABLE READ');
      await runner.query('SET TRANSACTION READ ONLY');
      yield* read(runner.manager);
    } finally {
      if (runner.isTransactionActive) await runner.rollbackTransaction();
      await runner.release();
    }
  }

  /** The rows of a part, of which some are read at a time. */
  async *rowsOf(
    { table, columns, more = {}, isTheirs }: ExportedPart,
    userId: string,
    snapshot: EntityManager,
  ): AsyncGenerator<ExportedRow[], void, undefined> {
    const selected = [
      ...Object.keys(columns).map((name) => `t.${name}`),
      ...Object.entries(more).map(([name, sql]) => `${sql} AS ${name}`),
    ];
    await snapshot.query(
      `DECLARE part NO SCROLL CURSOR FOR
         SELECT ${selected.join(', ')} FROM ${table} t, users u WHERE u.id = $1 AND ${isTheirs} ORDER BY 1`,
      [userId],
    );
    for (let rows: ExportedRow[] = []; ; ) {
      rows = await snapshot.query<ExportedRow[]>(`FETCH ${AT_A_TIME} FROM part`);
      yield rows;
      if (rows.length < AT_A_TIME) break;
    }
    await snapshot.query('CLOSE part');
  }
}
