import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuditEvent } from '../audit/audit-event.entity.js';
import { BillingCustomer } from '../billing/billing-customer.entity.js';
import { subscriptionView } from '../billing/subscription.view.js';
import { EVENT_SUBJECTS, type EventType } from '../config/event-types.js';
import { hasFactorSql } from '../factors/factors.repository.js';
import { PasskeysRepository } from '../factors/passkeys.repository.js';
import { orgView } from '../orgs/org.view.js';
import { Organization } from '../orgs/organization.entity.js';
import { User } from '../users/user.entity.js';
import { managedUserView } from '../users/user.view.js';
import { typesAbout, type WebhookPayload } from './webhook-payload.js';

/** An event, and those of its subjects that are there now. */
type ReadEvent = AuditEvent & {
  user: User | null;
  org: Organization | null;
  customer: BillingCustomer | null;
};

/** What is read of an event beside the rows. */
interface Figures {
  version: number;
  hasFactor: boolean;
  memberCount: number;
}

/**
 * When the transaction of the one statement began, in microseconds: before its snapshot, so that the reading after
 * a change, which begins when the change is committed, has a higher number than each that did not see it.
 * `statement_timestamp()` would be wrong: the extended protocol takes the snapshot with one message, and that time with
 * the next.
 */
const VERSION = '(extract(epoch FROM now()) * 1000000)::bigint::float8';

/** Reads what endpoints are sent. */
@Injectable()
export class WebhookSubjects {
  constructor(
    private readonly database: DataSource,
    private readonly passkeys: PasskeysRepository,
  ) {}

  /**
   * What is to be sent of some events, by their ids, all of it read in one statement. A pruned event is missing; one of
   * a type that is not sent is null.
   */
  async read(eventIds: string[]): Promise<Map<string, WebhookPayload | null>> {
    const { entities, raw } = await this.database.manager
      .createQueryBuilder(AuditEvent, 'event')
      .leftJoinAndMapOne('event.user', User, 'account', 'account.id = event.user_id')
      .leftJoinAndMapOne(
        'event.org',
        Organization,
        'org',
        'org.id = event.org_id AND event.type IN (:...orgTypes)',
      )
      .leftJoinAndMapOne(
        'event.customer',
        BillingCustomer,
        'customer',
        'customer.org_id = event.org_id OR event.org_id IS NULL AND customer.user_id = event.user_id',
      )
      .addSelect(VERSION, 'version')
      .addSelect(hasFactorSql('account', ':rpId'), 'hasFactor')
      .addSelect('(SELECT count(*)::int FROM users m WHERE m.org_id = org.id)', 'memberCount')
      .where('event.id = ANY (:eventIds)', {
        eventIds,
        orgTypes: typesAbout('org'),
        rpId: this.passkeys.rpId,
      })
      .getRawAndEntities<Figures & { event_id: string }>();

    const figures = new Map(raw.map((row) => [row.event_id, row]));
    return new Map(
      (entities as ReadEvent[]).map((event) => [
        event.id,
        payloadOf(event, figures.get(event.id) as Figures),
      ]),
    );
  }
}

function payloadOf(event: ReadEvent, figures: Figures): WebhookPayload | null {
  const type = event.type as EventType;
  const happened = {
    actor_id: event.actorId,
    user_id: event.userId,
    org_id: event.orgId,
    details: event.details,
    version: figures.version,
  };
  const about = { type, timestamp: event.createdAt };
  switch (EVENT_SUBJECTS[type]) {
    case 'user':
      return { ...about, data: { ...happened, user: userOf(event, figures) } };
    case 'org':
      return { ...about, data: { ...happened, org: orgOf(event, figures) } };
    case 'subscription':
      return { ...about, data: { ...happened, subscription: subscriptionView(event.customer) } };
    default:
      return null;
  }
}

function userOf({ user }: ReadEvent, { hasFactor }: Figures) {
  return user && managedUserView({ ...user, hasFactor });
}

function orgOf({ org }: ReadEvent, { memberCount }: Figures) {
  return org && orgView({ ...org, memberCount });
}
