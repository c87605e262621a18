import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DEVICE_MEMORY_DAYS, KnownDevice } from './known-device.entity.js';

const IS_REMEMBERED = `last_seen_at > now() - make_interval(days => ${DEVICE_MEMORY_DAYS})`;

@Injectable()
export class DevicesRepository {
  constructor(private readonly database: DataSource) {}

  /** Whether a device is known to the account of an address, if there is one. */
  async isKnown(tokenHash: Buffer, email: string): Promise<boolean> {
    const rows = await this.database.query<unknown[]>(
      `SELECT 1 FROM known_devices d JOIN users u ON u.id = d.user_id
        WHERE d.token_hash = $1 AND u.email = $2 AND ${IS_REMEMBERED}`,
      [tokenHash, email],
    );
    return rows.length > 0;
  }

  /** Notes that a device was seen. Returns whether it was known to the user. */
  async touch(tokenHash: Buffer, userId: string, manager: EntityManager): Promise<boolean> {
    const touched = await manager
      .createQueryBuilder()
      .update(KnownDevice)
      .set({ lastSeenAt: () => 'now()' })
      .where(`token_hash = :tokenHash AND user_id = :userId AND ${IS_REMEMBERED}`, { tokenHash, userId })
      .execute();
    return touched.affected === 1;
  }

  /**
   * Whether a user must have used another device: one is known, or all were forgotten, or the account is older than
   * their memory.
   */
  async hasHistory(userId: string, manager: EntityManager): Promise<boolean> {
    const [user] = await manager.query<{ hasHistory: boolean }[]>(
      `SELECT EXISTS (SELECT 1 FROM known_devices d WHERE d.user_id = u.id)
              OR u.devices_forgotten_at IS NOT NULL
              OR u.created_at < now() - make_interval(days => $2) AS "hasHistory"
         FROM users u WHERE u.id = $1`,
      [userId, DEVICE_MEMORY_DAYS],
    );
    return user?.hasHistory ?? false;
  }

  /** Makes a device known to a user, as of now. */
  async insert(tokenHash: Buffer, userId: string, manager: EntityManager): Promise<void> {
    await manager.query(
      `INSERT INTO known_devices (token_hash, user_id) VALUES ($1, $2)
       ON CONFLICT (token_hash, user_id) DO UPDATE SET last_seen_at = now()`,
      [tokenHash, userId],
    );
  }

  /** Gives a device another token, for everyone it is known to. */
  async replaceToken(from: Buffer, to: Buffer, manager: EntityManager): Promise<void> {
    await manager.update(KnownDevice, { tokenHash: from }, { tokenHash: to });
  }

  async deleteAllOf(userId: string, manager: EntityManager): Promise<void> {
    await manager.delete(KnownDevice, { userId });
  }

  /** Remembers that a user had other devices, when none of them is known any more. */
  async markForgotten(userId: string, manager: EntityManager): Promise<void> {
    await manager.query('UPDATE users SET devices_forgotten_at = now() WHERE id = $1', [userId]);
  }
}
