import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateScheduledJobs1795204800030 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      CREATE TABLE scheduled_jobs (
        name text PRIMARY KEY,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        succeeded_at timestamptz(3)
      )
    `);
    await database.query(`INSERT INTO scheduled_jobs (name) VALUES ('prune')`);
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE scheduled_jobs');
  }
}
