import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateUsedStates1795204800006 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(
      'CREATE TABLE used_states (id uuid PRIMARY KEY, expires_at timestamptz(3) NOT NULL)',
    );
    await database.query('CREATE INDEX used_states_expires_at_idx ON used_states (expires_at)');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE used_states');
  }
}
