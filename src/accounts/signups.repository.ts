import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import { waitForLockOn } from '../database/advisory-lock.js';
import type { Reader } from '../words/languages.js';
import { isHeldSql } from './held-addresses.repository.js';
import type { Signup } from './signup.entity.js';
import { readerOfSql } from './users.repository.js';

const LIFETIME_HOURS = 24;

/** More would let a stranger fill the owner's mailbox, and the table. */
const MAX_MAILED_PER_ADDRESS = 5;

const MAX_PASSWORD_TRIES = 5;

/** A mail of the same kind is not sent again so soon: a person who clicks twice wants one. */
const MAIL_PAUSE_SECONDS = 60;

/** A signup as it is written down. */
export type NewSignup = Pick<
  Signup,
  'id' | 'email' | 'name' | 'locale' | 'timeZone' | 'orgName' | 'passwordHash'
> & {
  passwordMac: Buffer;
  browserHash: Buffer;
};

/** Where a signup is written down. */
export interface Place {
  /** The row that it is written over; null for one more. */
  id: string | null;
  /** Whether a link of its own may be mailed, and was not asked for so lately that it is not sent again. */
  isMailDue: boolean;
  /** Whether this browser has just signed up with the address, and was mailed a code that it may be about to enter. */
  isOwnRecent: boolean;
}

/** What a link that was added to a signup is mailed with. */
interface AddedLink {
  sentTo: string;
  expiresAt: Date;
  isAddressFree: boolean;
  /** Whether the address is kept for an account that had it until lately. */
  isAddressHeld: boolean;
  /** Who has the account of the address; null where there is none. */
  owner: Reader | null;
}

/** A signup as the holder of its link completes it. */
export type FoundSignup = Pick<
  Signup,
  'id' | 'email' | 'name' | 'locale' | 'timeZone' | 'orgName' | 'passwordHash' | 'browserHash'
> & {
  /** Whether the token was mailed for it, and not for another one of its address. */
  isMailed: boolean;
};

const IS_ALIVE = `expires_at > now() AND password_tries < ${MAX_PASSWORD_TRIES}`;
const IS_MAIL_RECENT = `mail_asked_at > now() - make_interval(secs => ${MAIL_PAUSE_SECONDS})`;
const IS_ADDRESS_HELD = isHeldSql('signups.email');
const IS_ADDRESS_FREE = `NOT EXISTS (SELECT FROM users u WHERE u.email = signups.email) AND NOT ${IS_ADDRESS_HELD}`;

/** The signups that wait for their address to be confirmed. */
@Injectable()
export class SignupsRepository {
  constructor(private readonly database: DataSource) {}

  /** Lets no one else change the signups of an address until the transaction ends: two at once could have one place. */
  async lockAddress(email: string, tx: Transaction): Promise<void> {
    await waitForLockOn('signups', email, tx);
  }

  /**
   * The place of a browser's signup: over its own, else in a row more. Only the oldest five of an address are mailed a
   * link, and no other browser writes over one of those: a stranger who comes later would end the owner's. Those that
   * come after five share a sixth row, in which the last one stands: a stranger who came first would refuse the owner.
   */
  async findPlace(
    email: string,
    browserHash: Buffer,
    tx: Transaction | DataSource = this.database,
  ): Promise<Place> {
    const alive = await tx.query<{ id: string; isOwn: boolean; isMailRecent: boolean }[]>(
      `SELECT id, (browser_hash = $2) IS TRUE AS "isOwn", ${IS_MAIL_RECENT} AS "isMailRecent" FROM signups
        WHERE email = $1 AND ${IS_ALIVE} ORDER BY created_at, id`,
      [email, browserHash],
    );
    const taken = alive.find(({ isOwn }) => isOwn) ?? alive[MAX_MAILED_PER_ADDRESS];
    const rank = taken ? alive.indexOf(taken) : alive.length;
    return {
      id: taken?.id ?? null,
      isMailDue: rank < MAX_MAILED_PER_ADDRESS && !taken?.isMailRecent,
      isOwnRecent: taken?.isOwn === true && taken.isMailRecent,
    };
  }

  /**
   * Writes a signup down, or over another, whose links go on working. It lives for a day from now on, and its password
   * may be tried five times. The caller has locked the address, so that `created_at` tells who came first.
   */
  async save(signup: NewSignup, isMailed: boolean, tx: Transaction): Promise<void> {
    const { id, email, name, locale, timeZone, orgName, passwordHash, passwordMac, browserHash } = signup;
    await tx.query(
      `INSERT INTO signups (id, email, name, org_name, password_hash, password_mac, browser_hash, locale, time_zone, created_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $9, $10, clock_timestamp(), now() + make_interval(hours => ${LIFETIME_HOURS}))
       ON CONFLICT (id) DO UPDATE SET
         name = excluded.name, org_name = excluded.org_name, password_hash = excluded.password_hash,
         password_mac = excluded.password_mac, password_tried_at = NULL, password_tries = 0, browser_hash = excluded.browser_hash,
         expires_at = excluded.expires_at, locale = excluded.locale, time_zone = excluded.time_zone,
         mail_asked_at = CASE WHEN $8 THEN now() ELSE signups.mail_asked_at END`,
      [id, email, name, orgName, passwordHash, passwordMac, browserHash, isMailed, locale, timeZone],
    );
  }

  /**
   * The signup to mail a link to: that of a browser, else the newest of those that have one. In the browser of another
   * one that link serves too, with its password. Returns null when there is none, else also whether it is the browser's own.
   */
  async findToMail(
    email: string,
    browserHash: Buffer | null,
  ): Promise<{ id: string; isOwn: boolean } | null> {
    const [found] = await this.database.query<{ id: string; isOwn: boolean }[]>(
      `SELECT id, (browser_hash = $2) IS TRUE AS "isOwn" FROM (
         SELECT id, browser_hash, created_at FROM signups WHERE email = $1 AND ${IS_ALIVE}
          ORDER BY created_at, id LIMIT ${MAX_MAILED_PER_ADDRESS}
       ) AS mailed
        ORDER BY "isOwn" DESC, created_at DESC, id DESC LIMIT 1`,
      [email, browserHash],
    );
    return found ?? null;
  }

  /** Notes that the mail of a signup was asked for. Returns false when that was so lately, or it has ended. */
  async noteMail(id: string, tx: Transaction): Promise<boolean> {
    const [noted] = await tx.query<[unknown[], number]>(
      `UPDATE signups SET mail_asked_at = now() WHERE id = $1 AND ${IS_ALIVE} AND NOT ${IS_MAIL_RECENT} RETURNING id`,
      [id],
    );
    return noted.length === 1;
  }

  /**
   * Adds a link to a signup, also where its address has an account: the statement takes as long, and that link is never
   * mailed. Returns null when the signup has ended.
   */
  async addLink(id: string, tokenHash: Buffer, tx: Transaction): Promise<AddedLink | null> {
    const [[link]] = await tx.query<[AddedLink[], number]>(
      `UPDATE signups SET token_hashes = token_hashes || $2::bytea WHERE id = $1 AND ${IS_ALIVE}
       RETURNING email AS "sentTo", expires_at AS "expiresAt", ${IS_ADDRESS_FREE} AS "isAddressFree",
                 ${IS_ADDRESS_HELD} AS "isAddressHeld", ${readerOfSql('signups.email')} AS owner`,
      [id, tokenHash],
    );
    return link ?? null;
  }

  /**
   * The signup that the holder of a mailed token may complete: of those of its address the one that the browser has made,
   * else the one it was mailed for. Returns null when that has ended, or its address is not free.
   */
  async findByToken(tokenHash: Buffer, browserHash: Buffer | null): Promise<FoundSignup | null> {
    const [found] = await this.database.query<FoundSignup[]>(
      `WITH mailed AS (
         SELECT id, email FROM signups WHERE token_hashes @> ARRAY[$1::bytea] AND ${IS_ALIVE} AND ${IS_ADDRESS_FREE}
       )
       SELECT s.id, s.email, s.name, s.locale, s.time_zone AS "timeZone", s.org_name AS "orgName", s.password_hash AS "passwordHash",
              s.browser_hash AS "browserHash", s.id = mailed.id AS "isMailed"
         FROM mailed JOIN signups s ON s.email = mailed.email
        WHERE (s.id = mailed.id OR s.browser_hash = $2) AND ${IS_ALIVE}
        ORDER BY (s.browser_hash = $2) IS TRUE DESC, s.created_at DESC LIMIT 1`,
      [tokenHash, browserHash],
    );
    return found ?? null;
  }

  /** Counts a password that is about to be compared. Returns false when no more may be. */
  async countTry(id: string): Promise<boolean> {
    const [counted] = await this.database.query<[unknown[], number]>(
      `UPDATE signups SET password_tries = password_tries + 1 WHERE id = $1 AND ${IS_ALIVE} RETURNING id`,
      [id],
    );
    return counted.length === 1;
  }

  /** Takes a try back, of a password that could not be compared. */
  async giveTryBack(id: string): Promise<void> {
    await this.database.query('UPDATE signups SET password_tries = password_tries - 1 WHERE id = $1', [id]);
  }

  /** What recognises the passwords of the live signups of an address. */
  findPasswordMacs(email: string): Promise<Pick<Signup, 'id' | 'passwordMac'>[]> {
    return this.database.query(
      `SELECT id, password_mac AS "passwordMac" FROM signups WHERE email = $1 AND ${IS_ALIVE}`,
      [email],
    );
  }

  /**
   * Notes that the password of a signup was tried at the login. Returns whether it is known to have been tried before:
   * a signup may have got another password, or have ended, since it was read.
   */
  async noteLogin({ id, passwordMac }: Pick<Signup, 'id' | 'passwordMac'>): Promise<boolean> {
    const [{ isRepeated }] = await this.database.query<[{ isRepeated: boolean }]>(
      `WITH noted AS (
         UPDATE signups SET password_tried_at = now()
          WHERE id = $1 AND password_mac = $2 AND password_tried_at IS NULL
       )
       SELECT EXISTS (SELECT FROM signups WHERE id = $1 AND password_mac = $2 AND password_tried_at IS NOT NULL)
              AS "isRepeated"`,
      [id, passwordMac],
    );
    return isRepeated;
  }

  /**
   * Ends the signups of an address that has just been proven, and returns their ids. Called once the user has it: two
   * who prove one address at once wait for each other there.
   */
  async endAllOf(email: string, tx: Transaction): Promise<string[]> {
    await this.lockAddress(email, tx);
    const [ended] = await tx.query<[{ id: string }[], number]>(
      'DELETE FROM signups WHERE email = $1 RETURNING id',
      [email],
    );
    return ended.map(({ id }) => id);
  }

  /** Ends the signup of a mailed token, and returns its id; null when there is none. */
  async endByToken(tokenHash: Buffer, tx: Transaction): Promise<string | null> {
    const [[ended]] = await tx.query<[{ id: string }[], number]>(
      'DELETE FROM signups WHERE token_hashes @> ARRAY[$1::bytea] AND expires_at > now() RETURNING id',
      [tokenHash],
    );
    return ended?.id ?? null;
  }
}
