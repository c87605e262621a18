import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Environment } from '../config/environment.js';
import {
  ADDRESS_OF_CUSTOMER,
  isOfOtherModeSql,
  isUnreadSql,
  seatsOfOrg,
} from './billing-customers.repository.js';
import { ENDED } from './subscription-state.js';

/** What is not at Stripe as the tables have it: a customer's subscription, or address. */
export interface Difference {
  customerId: string;
  stripeCustomerId: string;
  /** Null when it is as it ought to be. */
  subscription: {
    id: string;
    itemId: string;
    /** How many seats it ought to have; null when neither organization nor user is left to subscribe. */
    seats: number | null;
  } | null;
  /** Null when it is as it ought to be. */
  address: { former: string | null; email: string } | null;
}

/** One customer, that of an organization, or those of a user: their own and that of their organization. */
export type WhichCustomers = { id: string } | { orgId: string } | { userId: string };

/** The statuses in which Stripe lets the quantity be changed. */
const ADJUSTABLE = ['active', 'trialing', 'past_due'];

/** A subscription that has lost its organization or user is left alone when it is going to end anyway. */
const DOES_SUBSCRIPTION_DIFFER = `(
  c.status <> ALL($1)
  AND (c.status = ANY($2) AND c.quantity <> m.seats
       OR c.org_id IS NULL AND c.user_id IS NULL AND NOT c.cancel_at_period_end)) IS TRUE`;

/** Compares only with what this service has sent to Stripe: a payer may name another address in the portal. */
const DOES_ADDRESS_DIFFER = `(c.stripe_customer_id IS NOT NULL AND a.email IS DISTINCT FROM c.email AND a.email IS NOT NULL)`;

const differing = (environment: Environment) => `
    FROM billing_customers c
         LEFT JOIN LATERAL (${seatsOfOrg('c.org_id')}) m ON c.org_id IS NOT NULL
         LEFT JOIN LATERAL (${ADDRESS_OF_CUSTOMER}) a ON true
   WHERE c.unknown_at IS NULL AND NOT ${isOfOtherModeSql(environment)}
         AND (${DOES_SUBSCRIPTION_DIFFER} OR ${DOES_ADDRESS_DIFFER})`;

/** Where Stripe and this service differ, or may. */
@Injectable()
export class DifferencesRepository {
  constructor(
    private readonly database: DataSource,
    private readonly environment: Environment,
  ) {}

  /** The differences of customers; none when they are as they ought to be. */
  find(which: WhichCustomers): Promise<Difference[]> {
    const [condition, value] = conditionOf(which);
    return this.database.query<Difference[]>(
      `SELECT c.id AS "customerId", c.stripe_customer_id AS "stripeCustomerId",
              CASE WHEN ${DOES_SUBSCRIPTION_DIFFER} THEN
                jsonb_build_object('id', c.subscription_id, 'itemId', c.item_id, 'seats', m.seats) END AS subscription,
              CASE WHEN ${DOES_ADDRESS_DIFFER} THEN
                jsonb_build_object('former', c.email, 'email', a.email) END AS address
       ${differing(this.environment)} AND ${condition}`,
      [ENDED, ADJUSTABLE, value],
    );
  }

  /**
   * Customers to check: first those that differ, then those not read for a day, the longest first. Stripe is asked
   * once a day for one that it does not know, and not for one of the other mode.
   */
  async findToCheck(limit: number): Promise<string[]> {
    const rows = await this.database.query<{ id: string }[]>(
      `WITH differing AS (SELECT c.id ${differing(this.environment)})
       SELECT c.id FROM billing_customers c LEFT JOIN differing USING (id)
        WHERE differing.id IS NOT NULL
           OR ${isUnreadSql(this.environment)} AND coalesce(c.unknown_at < now() - interval '1 day', true)
        ORDER BY differing.id IS NULL, c.read_at NULLS FIRST LIMIT $3`,
      [ENDED, ADJUSTABLE, limit],
    );
    return rows.map(({ id }) => id);
  }
}

function conditionOf(which: WhichCustomers): [condition: string, value: string] {
  if ('id' in which) return ['c.id = $3', which.id];
  if ('orgId' in which) return ['c.org_id = $3', which.orgId];
  return [
    '(c.user_id = $3 OR c.org_id = ANY (ARRAY(SELECT org_id FROM memberships WHERE user_id = $3)))',
    which.userId,
  ];
}
