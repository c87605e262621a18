import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { seatsOfOrg } from './billing-customers.repository.js';
import { ENDED } from './subscription-state.js';

/** A subscription that is not as it ought to be. */
export interface Drift {
  customerId: string;
  subscriptionId: string;
  itemId: string;
  /** How many seats it ought to have; null when there is nobody left to subscribe. */
  seats: number | null;
}

/** The statuses in which Stripe lets the quantity be changed. */
const ADJUSTABLE = ['active', 'trialing', 'past_due'];

/** A subscription that belongs to nobody is left alone when it is going to end anyway. */
const ADRIFT = `
    FROM billing_customers c
         LEFT JOIN LATERAL (${seatsOfOrg('c.org_id')}) m ON c.org_id IS NOT NULL
   WHERE c.status <> ALL($1)
     AND (c.status = ANY($2) AND c.quantity <> m.seats
          OR c.org_id IS NULL AND c.user_id IS NULL AND NOT c.cancel_at_period_end)`;

/** Where Stripe and this service have come apart, or may have. */
@Injectable()
export class DriftRepository {
  constructor(private readonly database: DataSource) {}

  /** The drift of one customer, or null when there is none. */
  async find(where: { id: string } | { orgId: string }): Promise<Drift | null> {
    const [column, value] = 'id' in where ? ['id', where.id] : ['org_id', where.orgId];
    const [drift] = await this.database.query<Drift[]>(
      `SELECT c.id AS "customerId", c.subscription_id AS "subscriptionId", c.item_id AS "itemId", m.seats
       ${ADRIFT} AND c.${column} = $3`,
      [ENDED, ADJUSTABLE, value],
    );
    return drift ?? null;
  }

  /**
   * Customers to check: first those adrift, then those who were not read for a day, the longest first. One who
   * belongs to nobody and has no subscription is left out.
   */
  async findDue(limit: number): Promise<string[]> {
    const rows = await this.database.query<{ id: string }[]>(
      `WITH adrift AS (SELECT c.id ${ADRIFT})
       SELECT c.id FROM billing_customers c LEFT JOIN adrift USING (id)
        WHERE adrift.id IS NOT NULL
           OR c.stripe_customer_id IS NOT NULL
              AND coalesce(c.read_at < now() - interval '1 day', true)
              AND (c.org_id IS NOT NULL OR c.user_id IS NOT NULL OR c.status <> ALL($1))
        ORDER BY adrift.id IS NULL, c.read_at NULLS FIRST LIMIT $3`,
      [ENDED, ADJUSTABLE, limit],
    );
    return rows.map(({ id }) => id);
  }
}
