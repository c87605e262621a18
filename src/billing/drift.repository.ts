import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ADDRESS_OF_CUSTOMER, seatsOfOrg } from './billing-customers.repository.js';
import { ENDED } from './subscription-state.js';

/** A customer whose subscription, or whose address, is not as it ought to be. */
export interface Drift {
  customerId: string;
  stripeCustomerId: string;
  /** Null when it is as it ought to be. */
  subscription: {
    id: string;
    itemId: string;
    /** How many seats it ought to have; null when there is nobody left to subscribe. */
    seats: number | null;
  } | null;
  /** Null when it is as it ought to be. */
  address: { former: string | null; email: string } | null;
}

/** Whose customers are looked at: for a user, their own and that of their organization. */
export type Concerned = { id: string } | { orgId: string } | { userId: string };

/** The statuses in which Stripe lets the quantity be changed. */
const ADJUSTABLE = ['active', 'trialing', 'past_due'];

/** A subscription that belongs to nobody is left alone when it is going to end anyway. */
const IS_SUBSCRIPTION_ADRIFT = `(
  c.status <> ALL($1)
  AND (c.status = ANY($2) AND c.quantity <> m.seats
       OR c.org_id IS NULL AND c.user_id IS NULL AND NOT c.cancel_at_period_end)) IS TRUE`;

/** Only what is told here is compared: a payer may name another address in the portal. */
const IS_ADDRESS_ADRIFT = `(c.stripe_customer_id IS NOT NULL AND a.email IS DISTINCT FROM c.email AND a.email IS NOT NULL)`;

const ADRIFT = `
    FROM billing_customers c
         LEFT JOIN LATERAL (${seatsOfOrg('c.org_id')}) m ON c.org_id IS NOT NULL
         LEFT JOIN LATERAL (${ADDRESS_OF_CUSTOMER}) a ON true
   WHERE (${IS_SUBSCRIPTION_ADRIFT} OR ${IS_ADDRESS_ADRIFT})`;

/** Where Stripe and this service have come apart, or may have. */
@Injectable()
export class DriftRepository {
  constructor(private readonly database: DataSource) {}

  /** The drift of customers; none when they are as they ought to be. */
  find(where: Concerned): Promise<Drift[]> {
    const [condition, value] = conditionOf(where);
    return this.database.query<Drift[]>(
      `SELECT c.id AS "customerId", c.stripe_customer_id AS "stripeCustomerId",
              CASE WHEN ${IS_SUBSCRIPTION_ADRIFT} THEN
                jsonb_build_object('id', c.subscription_id, 'itemId', c.item_id, 'seats', m.seats) END AS subscription,
              CASE WHEN ${IS_ADDRESS_ADRIFT} THEN
                jsonb_build_object('former', c.email, 'email', a.email) END AS address
       ${ADRIFT} AND ${condition}`,
      [ENDED, ADJUSTABLE, value],
    );
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

function conditionOf(where: Concerned): [condition: string, value: string] {
  if ('id' in where) return ['c.id = $3', where.id];
  if ('orgId' in where) return ['c.org_id = $3', where.orgId];
  return ['(c.user_id = $3 OR c.org_id = (SELECT org_id FROM users WHERE id = $3))', where.userId];
}
