import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, LessThan } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import { admits } from '../accounts/subscription.js';
import type { User } from '../accounts/user.entity.js';
import { IS_ACTIVE_ADMIN, JOIN_ORG, READER_COLUMNS } from '../accounts/users.repository.js';
import type { Transaction } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import type { Caller } from '../http/caller.js';
import type { Reader } from '../words/languages.js';
import type { CustomerFilter } from './billing.dto.js';
import { BillingCustomer } from './billing-customer.entity.js';
import { isLiveMode } from './stripe-client.js';
import { ENDED, NO_SUBSCRIPTION, type SubscriptionState } from './subscription-state.js';

/** Who pays for a user: the organization they belong to, else they themselves. */
export type Payer = { orgId: string } | { userId: string };

export function payerOf({ id, orgId }: Pick<User, 'id' | 'orgId'>): Payer {
  return orgId === null ? { userId: id } : { orgId };
}

/** A customer whom Stripe has made. */
export type StripeCustomer = BillingCustomer & { stripeCustomerId: string };

/** A person who can pay what a customer owes, and for which organization, if for one. */
export type PersonWhoPays = Reader & { email: string; orgName: string | null };

/** A customer, and what the organization or the user is called who pays. */
export type NamedCustomer = BillingCustomer & { orgName: string | null; userEmail: string | null };

/** What a customer's subscription was at Stripe at one time; null when the customer was deleted there. */
export interface Reading {
  customerId: string;
  /** Drawn before Stripe was asked. */
  number: string;
  /** As the customer's row has it; left out where Stripe does not say. */
  livemode?: boolean;
  /** The unpaid invoice that had to be paid first, if a subscription is past due by it now. */
  overdueInvoiceId?: string;
  state: SubscriptionState | null;
}

/**
 * How many an organization pays for: its members, whether or not they may log in, and one at least. Its id is a
 * parameter or a column.
 */
export const seatsOfOrg = (orgId: string) =>
  `SELECT greatest(count(*), 1)::int AS seats FROM memberships WHERE org_id = ${orgId}`;

/**
 * The address that a customer `c` ought to have at Stripe: the user's, or that of an admin of the organization, who
 * stays the same one for as long as they administer it.
 */
export const ADDRESS_OF_CUSTOMER = `
  SELECT email FROM users WHERE id = c.user_id
   UNION ALL
  (SELECT u.email FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.org_id = c.org_id AND ${IS_ACTIVE_ADMIN}
    ORDER BY u.own_role <> 'sys_admin' DESC, u.email IS NOT DISTINCT FROM c.email DESC, u.id LIMIT 1)`;

/** Whether a customer `c` was made with a key of the other mode, test or live, than the key of the settings. */
export const isOfOtherModeSql = (environment: Environment) => `(c.livemode IS ${!isLiveMode(environment)})`;

/**
 * Whether a customer `c` has to be read again. It leaves out one that Stripe cannot know, and one that has lost its
 * organization or user and has no subscription; `$1` are the statuses that a subscription has ended with.
 */
export const isUnreadSql = (environment: Environment) => `
  c.stripe_customer_id IS NOT NULL AND coalesce(c.read_at < now() - interval '1 day', true)
  AND NOT ${isOfOtherModeSql(environment)}
  AND (c.org_id IS NOT NULL OR c.user_id IS NOT NULL OR c.status <> ALL($1))`;

@Injectable()
export class BillingCustomersRepository {
  constructor(
    private readonly database: DataSource,
    private readonly environment: Environment,
  ) {}

  find(where: Payer | { id: string }): Promise<BillingCustomer | null> {
    return this.database.manager.findOneBy(BillingCustomer, where);
  }

  /** The customer of a payer, locked until the transaction ends. */
  lock(payer: Payer, tx: Transaction): Promise<BillingCustomer | null> {
    return tx.manager.findOne(BillingCustomer, { where: payer, lock: { mode: 'pessimistic_write' } });
  }

  /** A page of the customers who meet a filter, newest first, from below an id. */
  findAll(
    { org_id: orgId, user_id: userId, status }: CustomerFilter,
    before: string | null,
    limit: number,
  ): Promise<BillingCustomer[]> {
    return this.database.manager.find(BillingCustomer, {
      where: {
        ...(before !== null && { id: LessThan(before) }),
        ...(orgId !== undefined && { orgId }),
        ...(userId !== undefined && { userId }),
        ...(status !== undefined && { status }),
      },
      order: { id: 'DESC' },
      take: limit,
    });
  }

  /** Says of customers what those are called who pay. */
  async name(customers: BillingCustomer[]): Promise<NamedCustomer[]> {
    const names = await this.database.query<Pick<NamedCustomer, 'id' | 'orgName' | 'userEmail'>[]>(
      `SELECT c.id, o.name AS "orgName", u.email AS "userEmail"
         FROM billing_customers c LEFT JOIN organizations o ON o.id = c.org_id LEFT JOIN users u ON u.id = c.user_id
        WHERE c.id = ANY($1)`,
      [customers.map(({ id }) => id)],
    );
    const byId = new Map(names.map((named) => [named.id, named]));
    return customers.map((customer) => ({
      orgName: null,
      userEmail: null,
      ...byId.get(customer.id),
      ...customer,
    }));
  }

  /** How many customers there are, and of how many Stripe was not asked for a day. */
  async count(): Promise<{ customers: number; unreadForADay: number }> {
    const [counts] = await this.database.query(
      `SELECT count(*)::int AS customers, count(*) FILTER (WHERE ${isUnreadSql(this.environment)})::int AS "unreadForADay"
         FROM billing_customers c`,
      [ENDED],
    );
    return counts;
  }

  /** A customer whom Stripe has made. */
  get(id: string): Promise<StripeCustomer> {
    return this.database.manager.findOneByOrFail(BillingCustomer, { id }) as Promise<StripeCustomer>;
  }

  findByStripeId(stripeCustomerId: string): Promise<StripeCustomer | null> {
    return this.database.manager.findOneBy(BillingCustomer, {
      stripeCustomerId,
    }) as Promise<StripeCustomer | null>;
  }

  /** The customer of a payer, made if there is none. Returns null when the payer is gone. */
  async findOrInsert(payer: Payer): Promise<BillingCustomer | null> {
    const [owners, column, ownerId] =
      'orgId' in payer ? ['organizations', 'org_id', payer.orgId] : ['users', 'user_id', payer.userId];
    // The lock waits for a payer who is being deleted at the same moment.
    await this.database.query(
      `INSERT INTO billing_customers (id, ${column})
       SELECT $1, id FROM ${owners} WHERE id = $2 FOR KEY SHARE
       ON CONFLICT DO NOTHING`,
      [uuidv7(), ownerId],
    );
    return this.find(payer);
  }

  /**
   * Notes which customer Stripe has made, and with which address. A replica that comes second gets the one that
   * is noted already.
   */
  async identify(id: string, stripeCustomerId: string, email: string | null): Promise<StripeCustomer> {
    const unknown = { id, stripeCustomerId: IsNull() };
    await this.database.manager.update(BillingCustomer, unknown, { stripeCustomerId, email });
    return this.get(id);
  }

  /** The address that a customer ought to have at Stripe; null while an organization has no active admin. */
  async findAddress(id: string): Promise<string | null> {
    const [found] = await this.database.query<{ email: string | null }[]>(
      `SELECT (${ADDRESS_OF_CUSTOMER}) AS email FROM billing_customers c WHERE c.id = $1`,
      [id],
    );
    return found?.email ?? null;
  }

  /**
   * Notes the address that Stripe got in place of another. It counts as unknown when Stripe got a third one meanwhile:
   * only Stripe knows which came last.
   */
  async noteAddress(id: string, former: string | null, email: string): Promise<void> {
    await this.database.query(
      `UPDATE billing_customers SET email = CASE WHEN email IS NOT DISTINCT FROM $2 THEN $3 END WHERE id = $1`,
      [id, former, email],
    );
  }

  /** A number above all that were drawn before. */
  async drawNumber(): Promise<string> {
    const [{ number }] = await this.database.query(`SELECT nextval('billing_reads') AS number`);
    return number;
  }

  /** The customer as it is before a reading is stored. Returns null when one is stored that began later. */
  lockBefore({ customerId, number }: Reading, tx: Transaction): Promise<BillingCustomer | null> {
    return tx.manager.findOne(BillingCustomer, {
      where: { id: customerId, readNumber: LessThan(number) },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** A customer deleted at Stripe no longer belongs to an organization or a user. */
  async store({ customerId, number, livemode, state }: Reading, tx: Transaction): Promise<void> {
    await tx.manager.update(
      BillingCustomer,
      { id: customerId },
      {
        ...(state ?? { ...NO_SUBSCRIPTION, orgId: null, userId: null }),
        ...(livemode !== undefined && { livemode }),
        readNumber: number,
        readAt: () => 'now()',
        unknownAt: null,
      },
    );
  }

  /** Those who can pay what a customer owes: the active admins of the organization, or the user. */
  findThoseWhoPay(id: string, tx: Transaction): Promise<PersonWhoPays[]> {
    return tx.query(
      `SELECT u.email, ${READER_COLUMNS}, o.name AS "orgName"
         FROM billing_customers c JOIN organizations o ON o.id = c.org_id
              JOIN memberships m ON m.org_id = o.id JOIN users u ON u.id = m.user_id
        WHERE c.id = $1 AND ${IS_ACTIVE_ADMIN}
        UNION ALL
       SELECT u.email, ${READER_COLUMNS}, NULL
         FROM billing_customers c JOIN users u ON u.id = c.user_id ${JOIN_ORG}
        WHERE c.id = $1 AND u.disabled_at IS NULL`,
      [id],
    );
  }

  /** Notes about which invoice those who pay were mailed. */
  async noteDunned(id: string, dunnedInvoiceId: string, tx: Transaction): Promise<void> {
    await tx.manager.update(BillingCustomer, { id }, { dunnedInvoiceId });
  }

  /** Notes that Stripe does not know a customer. What was last read stays: the key may be the wrong one. */
  async noteUnknown(id: string): Promise<void> {
    await this.database.manager.update(BillingCustomer, { id }, { unknownAt: () => 'now()' });
  }

  /** The customers of an organization or a user that Stripe does not know, or that are of the other mode. */
  async findUnknown(): Promise<string[]> {
    const rows = await this.database.query<{ id: string }[]>(
      `SELECT c.id FROM billing_customers c WHERE ${this.isUnknownSql()} ORDER BY c.id`,
    );
    return rows.map(({ id }) => id);
  }

  /** Such a customer, locked until the transaction ends. Returns null when it is none by now. */
  async lockUnknown(id: string, tx: Transaction): Promise<BillingCustomer | null> {
    const rows = await tx.query<unknown[]>(
      `SELECT 1 FROM billing_customers c WHERE c.id = $1 AND ${this.isUnknownSql()} FOR UPDATE`,
      [id],
    );
    return rows.length === 0 ? null : tx.manager.findOneByOrFail(BillingCustomer, { id });
  }

  async countSeats(orgId: string): Promise<number> {
    const [{ seats }] = await this.database.query(seatsOfOrg('$1'), [orgId]);
    return seats;
  }

  /** Whether the organization of a request, or the user where there is none, has a subscription that admits. */
  async isAdmitted(caller: Caller): Promise<boolean> {
    const { user, membership } = caller;
    const isKnown = user.orgId === null ? caller.isUserSubscribed : membership?.isSubscribed;
    if (isKnown !== undefined) return isKnown;
    return this.hasSubscription(payerOf(user));
  }

  /** Whether an organization has a subscription that admits; none has not. */
  async isOrgAdmitted(orgId: string | null): Promise<boolean> {
    return orgId !== null && this.hasSubscription({ orgId });
  }

  private async hasSubscription(payer: Payer): Promise<boolean> {
    const [column, ownerId] = 'orgId' in payer ? ['org_id', payer.orgId] : ['user_id', payer.userId];
    const rows = await this.database.query<unknown[]>(
      `SELECT 1 FROM billing_customers c WHERE c.${column} = $1 AND ${admits(this.environment.stripePastDueGraceDays)}`,
      [ownerId],
    );
    return rows.length > 0;
  }

  async findOrgName(orgId: string): Promise<string | null> {
    const [org] = await this.database.query<{ name: string }[]>(
      'SELECT name FROM organizations WHERE id = $1',
      [orgId],
    );
    return org?.name ?? null;
  }

  private isUnknownSql(): string {
    return `num_nonnulls(c.org_id, c.user_id) = 1
            AND (c.unknown_at IS NOT NULL OR ${isOfOtherModeSql(this.environment)})`;
  }
}
