import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import { StripeEvent } from './stripe-event.entity.js';

/** Stripe goes on sending an event for three days. */
const KEPT_FOR = '30 days';

/** The events whose effect is stored. */
@Injectable()
export class StripeEventsRepository {
  constructor(private readonly database: DataSource) {}

  has(id: string): Promise<boolean> {
    return this.database.manager.existsBy(StripeEvent, { id });
  }

  /**
   * Notes an event. Returns false when it is noted already, having waited for a replica that may be noting it.
   */
  async insert({ id, type }: { id: string; type: string }, tx: Transaction): Promise<boolean> {
    const rows = await tx.query<unknown[]>(
      `INSERT INTO stripe_events (id, kind, expires_at) VALUES ($1, $2, now() + $3::interval)
       ON CONFLICT (id) DO NOTHING RETURNING id`,
      [id, type, KEPT_FOR],
    );
    return rows.length === 1;
  }
}
