import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateLinkRequests1795204800011 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      CREATE TABLE link_requests (
        id uuid PRIMARY KEY,
        purpose text NOT NULL,
        email text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      )
    `);
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE link_requests');
  }
}
