import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import { hashToken, mintToken } from '../secrets/token.js';
import { DEVICE_MEMORY_DAYS, KnownDevice } from './known-device.entity.js';

const IS_REMEMBERED = `last_seen_at > now() - make_interval(days => ${DEVICE_MEMORY_DAYS})`;

/** Whether the owner of the account `u` must have used another browser before. */
const IS_NEWS = `
  (EXISTS (SELECT 1 FROM known_devices d WHERE d.user_id = u.id) OR u.devices_forgotten_at IS NOT NULL
   OR u.created_at < now() - make_interval(days => ${DEVICE_MEMORY_DAYS}))`;

/** How many users one browser is known to; a cookie with more tokens would weigh on every request. */
const MAX_TOKENS = 5;

/** Between the tokens of a cookie; no token has it. */
const SEPARATOR = '.';

/** A browser before a login, as its token says, and whether the account of the address knows it. */
export interface PresentedDevice {
  /** The one by which the account knows it. */
  token: string | null;
  isKnown: boolean;
}

/** A browser after a login: its cookie, and whether a mail tells the owner of it. */
export interface RecognisedDevice {
  cookie: string;
  isNew: boolean;
  /** Whether the account knew it before. */
  isKnown: boolean;
}

/**
 * The browsers that users log in from. One that is known counts its failed logins by itself, and the owner gets no mail
 * about its logins (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
 */
@Injectable()
export class KnownDevicesRepository {
  constructor(private readonly database: DataSource) {}

  async find(cookie: string | null, email: string): Promise<PresentedDevice> {
    const tokens = tokensOf(cookie);
    if (tokens.length === 0) return { token: null, isKnown: false };
    const [known] = await this.database.query<{ tokenHash: Buffer }[]>(
      `SELECT d.token_hash AS "tokenHash" FROM known_devices d JOIN users u ON u.id = d.user_id
        WHERE d.token_hash = ANY($1) AND u.email = $2 AND ${IS_REMEMBERED}`,
      [tokens.map(hashToken), email],
    );
    const token = tokens.find((each) => known?.tokenHash.equals(hashToken(each))) ?? null;
    return { token, isKnown: token !== null };
  }

  /** Notes a login. The first device of a user is not new to the owner, unless all were forgotten before. */
  async recognise(userId: string, cookie: string | null, tx: Transaction): Promise<RecognisedDevice> {
    if (cookie !== null && (await this.touch(cookie, userId, tx)))
      return { cookie, isNew: false, isKnown: true };
    return { ...(await this.introduce(userId, cookie, tx)), isKnown: false };
  }

  /** Whether a login from a browser is news to the owner, as `recognise` would find. */
  async isNews(userId: string, cookie: string | null, tx: Transaction): Promise<boolean> {
    const [{ isNews }] = await tx.query<[{ isNews: boolean }]>(
      `SELECT ${IS_NEWS} AND NOT EXISTS (
                SELECT FROM known_devices WHERE token_hash = ANY($2) AND user_id = u.id AND ${IS_REMEMBERED}
              ) AS "isNews"
         FROM users u WHERE u.id = $1`,
      [userId, tokensOf(cookie).map(hashToken)],
    );
    return isNews;
  }

  /**
   * Forgets the devices of a user except the current one, and returns its new cookie. Called whenever the password
   * changes: a person who logged in with the old one is then a stranger again, while the owner, who has just proven the
   * address or the old password, has a way in even if strangers keep guessing.
   */
  async forgetOthers(userId: string, cookie: string | null, tx: Transaction): Promise<string> {
    await tx.manager.delete(KnownDevice, { userId });
    return (await this.introduce(userId, cookie, tx)).cookie;
  }

  /** Forgets all devices of a user, the current one included, and remembers that there were some. */
  async forgetAll(userId: string, tx: Transaction): Promise<void> {
    await tx.manager.delete(KnownDevice, { userId });
    await tx.query('UPDATE users SET devices_forgotten_at = now() WHERE id = $1', [userId]);
  }

  /** Whether all devices of a user were forgotten after an instant. */
  async wereForgottenSince(instant: Date, userId: string, tx: Transaction): Promise<boolean> {
    const rows = await tx.query<unknown[]>(
      'SELECT 1 FROM users WHERE id = $1 AND devices_forgotten_at > $2',
      [userId, instant],
    );
    return rows.length > 0;
  }

  /** Notes that a user logged in with a device. Returns whether it was known. */
  private async touch(cookie: string, userId: string, tx: Transaction): Promise<boolean> {
    const [, touched] = await tx.query<[unknown, number]>(
      `UPDATE known_devices SET last_seen_at = now()
        WHERE token_hash = ANY($1) AND user_id = $2 AND ${IS_REMEMBERED}`,
      [tokensOf(cookie).map(hashToken), userId],
    );
    return touched > 0;
  }

  /**
   * Makes a device known to a user, under a fresh token: an attacker who kept a copy may have planted the one that came
   * with the request. It is new when the user must have used another one: one is known, or all were forgotten, or the
   * account is older than their memory. What other users of the browser are known by stays beside it in the cookie, so
   * that a person who logs in to an account of their own with a copy of the cookie takes nothing from its owner.
   */
  private async introduce(
    userId: string,
    cookie: string | null,
    tx: Transaction,
  ): Promise<Omit<RecognisedDevice, 'isKnown'>> {
    const token = mintToken();
    const others = await this.tokensOfOthers(userId, tokensOf(cookie), tx);
    // What it returns is read from the rows as they were before it.
    const [{ isNew }] = await tx.query<[{ isNew: boolean }]>(
      `INSERT INTO known_devices (token_hash, user_id) VALUES ($1, $2)
       RETURNING (SELECT ${IS_NEWS} FROM users u WHERE u.id = $2) AS "isNew"`,
      [hashToken(token), userId],
    );
    return { cookie: [token, ...others].slice(0, MAX_TOKENS).join(SEPARATOR), isNew };
  }

  private async tokensOfOthers(userId: string, tokens: string[], tx: Transaction): Promise<string[]> {
    if (tokens.length === 0) return [];
    const known = await tx.query<{ tokenHash: Buffer }[]>(
      `SELECT token_hash AS "tokenHash" FROM known_devices WHERE token_hash = ANY($1) AND user_id <> $2`,
      [tokens.map(hashToken), userId],
    );
    return tokens.filter((token) => known.some(({ tokenHash }) => tokenHash.equals(hashToken(token))));
  }
}

/** The tokens in the cookie of a browser: one for each of the users who logged in last. */
function tokensOf(cookie: string | null): string[] {
  return cookie === null ? [] : cookie.split(SEPARATOR, MAX_TOKENS);
}
