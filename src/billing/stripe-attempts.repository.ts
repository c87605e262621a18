import { createHash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { tryAgain } from '../database/contention.js';
import { type AttemptPurpose, StripeAttempt } from './stripe-attempt.entity.js';
import { isStripeError } from './stripe-errors.js';

/** An hour longer than a checkout stays open: none is forgotten that could still be paid. */
const LIFETIME = '25 hours';

/** Statuses that Stripe answers before it begins to work; any other it repeats to each request with the same key. */
const UNREMEMBERED = [401, 403, 409, 429];

/** What a caller needs to go on with an attempt. */
export interface Attempt extends Pick<StripeAttempt, 'id' | 'sessionId'> {
  /** The language in which it was first asked for; null where it has none. */
  locale: string | null;
}

/**
 * Keeps the idempotency keys of what must be made at Stripe once. The key is stored before Stripe is asked, so that
 * a request that is sent again, by a client or after a crash, asks with the same one.
 */
@Injectable()
export class StripeAttemptsRepository {
  constructor(private readonly database: DataSource) {}

  /**
   * The attempt at a request: the one there is, if it asks for the same in whatever language, else a new one. `supersede` ends
   * what the earlier one has made, before it is forgotten.
   */
  async begin(
    customerId: string,
    purpose: AttemptPurpose,
    request: object,
    { locale = '', supersede = async (_sessionId: string) => {} } = {},
  ): Promise<Attempt> {
    const digest = createHash('sha256').update(JSON.stringify(request)).digest('base64url');
    return tryAgain(async () => {
      const attempt = await this.findOrInsert(customerId, purpose, digest, locale);
      if (!attempt || attempt.isSame) return attempt;
      if (attempt.sessionId !== null) await supersede(attempt.sessionId);
      await this.drop(attempt);
      return null;
    });
  }

  /** Asks Stripe under the attempt's key. An answer that Stripe would only repeat ends the attempt. */
  async run<T>(attempt: Attempt, ask: (idempotencyKey: string) => Promise<T>): Promise<T> {
    try {
      return await ask(attempt.id);
    } catch (error) {
      if (isRemembered(error)) await this.drop(attempt);
      throw error;
    }
  }

  /** Notes the session that an attempt has made. Returns false when the attempt was superseded meanwhile. */
  async record({ id }: Attempt, sessionId: string): Promise<boolean> {
    const recorded = await this.database.manager.update(StripeAttempt, { id }, { sessionId });
    return recorded.affected === 1;
  }

  /** Forgets an attempt, unless it has made a session since it was read. */
  async drop({ id, sessionId }: Attempt): Promise<void> {
    await this.database.manager.delete(StripeAttempt, { id, sessionId: sessionId ?? IsNull() });
  }

  /** Returns null when the earlier attempt was dropped between the two statements. */
  private async findOrInsert(
    customerId: string,
    purpose: AttemptPurpose,
    digest: string,
    locale: string,
  ): Promise<(Attempt & { isSame: boolean }) | null> {
    await this.database.query(
      `INSERT INTO stripe_attempts (id, customer_id, purpose, digest, expires_at)
       VALUES ($1, $2, $3, $4, now() + $5::interval) ON CONFLICT (customer_id, purpose) DO NOTHING`,
      [randomUUID(), customerId, purpose, `${digest} ${locale}`.trim(), LIFETIME],
    );
    const [attempt] = await this.database.query(
      `SELECT id, session_id AS "sessionId", nullif(split_part(digest, ' ', 2), '') AS locale,
              split_part(digest, ' ', 1) = $3 AND expires_at > now() AS "isSame"
         FROM stripe_attempts WHERE customer_id = $1 AND purpose = $2`,
      [customerId, purpose, digest],
    );
    return attempt ?? null;
  }
}

function isRemembered(error: unknown): boolean {
  if (!isStripeError(error)) return false;
  return error.statusCode !== undefined && !UNREMEMBERED.includes(error.statusCode);
}
