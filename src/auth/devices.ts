import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import { hashToken, mintToken } from '../secrets/token.js';
import { DEVICE_MEMORY_DAYS, KnownDevice } from './known-device.entity.js';

const IS_REMEMBERED = `last_seen_at > now() - make_interval(days => ${DEVICE_MEMORY_DAYS})`;

/** A browser before a login, as its token says, and whether the account of the address knows it. */
export interface PresentedDevice {
  token: string | null;
  isKnown: boolean;
}

/** A browser after a login: the token to keep in its cookie, and whether a mail tells the owner of it. */
export interface RecognisedDevice {
  token: string;
  isNew: boolean;
}

/**
 * The browsers that users log in from. One that is known counts its failed logins by itself, and the owner gets no mail
 * about its logins (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
 */
@Injectable()
export class Devices {
  constructor(private readonly database: DataSource) {}

  async find(token: string | null, email: string): Promise<PresentedDevice> {
    if (token === null) return { token, isKnown: false };
    const rows = await this.database.query<unknown[]>(
      `SELECT 1 FROM known_devices d JOIN users u ON u.id = d.user_id
        WHERE d.token_hash = $1 AND u.email = $2 AND ${IS_REMEMBERED}`,
      [hashToken(token), email],
    );
    return { token, isKnown: rows.length > 0 };
  }

  /** Notes a login. The first device of a user is not new to the owner, unless all were forgotten before. */
  async recognise(userId: string, token: string | null, tx: Transaction): Promise<RecognisedDevice> {
    if (token !== null && (await this.touch(token, userId, tx))) return { token, isNew: false };
    return this.introduce(userId, token, tx);
  }

  /**
   * Forgets the devices of a user except the current one, and returns its new token. Called whenever the password
   * changes: a person who logged in with the old one is then a stranger again, while the owner, who has just proven the
   * address or the old password, has a way in even if strangers keep guessing.
   */
  async forgetOthers(userId: string, token: string | null, tx: Transaction): Promise<string> {
    await tx.manager.delete(KnownDevice, { userId });
    return (await this.introduce(userId, token, tx)).token;
  }

  /** Forgets all devices of a user, the current one included, and remembers that there were some. */
  async forgetAll(userId: string, tx: Transaction): Promise<void> {
    await tx.manager.delete(KnownDevice, { userId });
    await tx.query('UPDATE users SET devices_forgotten_at = now() WHERE id = $1', [userId]);
  }

  /** Notes that a user logged in with a device. Returns whether it was known. */
  private async touch(token: string, userId: string, tx: Transaction): Promise<boolean> {
    const [, touched] = await tx.query<[unknown, number]>(
      `UPDATE known_devices SET last_seen_at = now() WHERE token_hash = $1 AND user_id = $2 AND ${IS_REMEMBERED}`,
      [hashToken(token), userId],
    );
    return touched === 1;
  }

  /**
   * Makes a device known to a user, under a fresh token: an attacker who kept a copy may have planted the one that came
   * with the request. The other users of the device go on being known by the fresh one. It is new when the user must
   * have used another one: one is known, or all were forgotten, or the account is older than their memory.
   */
  private async introduce(
    userId: string,
    earlier: string | null,
    tx: Transaction,
  ): Promise<RecognisedDevice> {
    const token = mintToken();
    const tokenHash = hashToken(token);
    if (earlier !== null)
      await tx.manager.update(KnownDevice, { tokenHash: hashToken(earlier) }, { tokenHash });
    // What it returns is read from the rows as they were before it.
    const [device] = await tx.query<[{ isNew: boolean }]>(
      `INSERT INTO known_devices (token_hash, user_id) VALUES ($1, $2)
       ON CONFLICT (token_hash, user_id) DO UPDATE SET last_seen_at = now()
       RETURNING (SELECT EXISTS (SELECT 1 FROM known_devices d WHERE d.user_id = u.id)
                         OR u.devices_forgotten_at IS NOT NULL
                         OR u.created_at < now() - make_interval(days => $3)
                    FROM users u WHERE u.id = $2) AS "isNew"`,
      [tokenHash, userId, DEVICE_MEMORY_DAYS],
    );
    return { token, ...device };
  }
}
