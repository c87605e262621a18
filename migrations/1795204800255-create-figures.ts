import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateFigures1795204800255 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      CREATE TABLE daily_figures (
        day date PRIMARY KEY,
        new_users integer NOT NULL,
        logins integer NOT NULL,
        failed_logins integer NOT NULL
      )
    `);
    // A table of one row.
    await database.query(`
      CREATE TABLE active_users (
        only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
        in_seven_days integer NOT NULL,
        in_thirty_days integer NOT NULL,
        counted_at timestamptz(3) NOT NULL
      )
    `);
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE active_users');
    await database.query('DROP TABLE daily_figures');
  }
}
