import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateKnownDevices1795204800040 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      CREATE TABLE known_devices (
        token_hash bytea NOT NULL,
        user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        last_seen_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (token_hash, user_id)
      )
    `);
    await database.query('CREATE INDEX known_devices_user_id_idx ON known_devices (user_id)');
    await database.query('CREATE INDEX known_devices_last_seen_at_idx ON known_devices (last_seen_at)');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE known_devices');
  }
}
