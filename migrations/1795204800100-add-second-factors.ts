import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddSecondFactors1795204800100 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(
      `CREATE TABLE totp_factors (
         user_id uuid PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
         secret bytea NOT NULL,
         last_step bigint NOT NULL DEFAULT 0,
         created_at timestamptz(3) NOT NULL DEFAULT now(),
         confirmed_at timestamptz(3)
       )`,
    );
    await database.query(
      `CREATE TABLE recovery_codes (
         user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
         code_hash bytea NOT NULL,
         created_at timestamptz(3) NOT NULL DEFAULT now(),
         PRIMARY KEY (user_id, code_hash)
       )`,
    );
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE recovery_codes');
    await database.query('DROP TABLE totp_factors');
  }
}
