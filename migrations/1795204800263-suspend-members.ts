import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notes since when a membership is suspended. */
export class SuspendMembers1795204800263 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE memberships ADD suspended_at timestamptz(3)');
  }

  async down(database: QueryRunner): Promise<void> {
    const suspended = await database.query('SELECT 1 FROM memberships WHERE suspended_at IS NOT NULL');
    if (suspended?.length > 0)
      throw new Error(
        `${suspended.length} memberships are suspended, which the version before would take for active ones.`,
      );
    await database.query('ALTER TABLE memberships DROP suspended_at');
  }
}
