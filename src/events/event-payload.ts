import { SubscriptionSchema } from '../billing/subscription.view.js';
import { EVENT_SUBJECTS, EVENT_TYPES, type EventSubject, type EventType } from '../config/event-types.js';
import { ManagedOrganizationSchema } from '../orgs/org.view.js';
import { OrganizationRoleSchema } from '../orgs/role.view.js';
import { ManagedUserSchema } from '../users/user.view.js';
import {
  anything,
  count,
  type Described,
  instant,
  named,
  nullable,
  object,
  oneOf,
  orNull,
  type Schema,
  uuid,
} from '../validation/schema.js';

/** The types about a subject. */
export const typesAbout = (subject: EventSubject): EventType[] =>
  EVENT_TYPES.filter((type) => EVENT_SUBJECTS[type] === subject);

/** What happened: never the address or the browser it came from. */
const HAPPENED = {
  actor_id: nullable(uuid),
  user_id: nullable(uuid),
  org_id: nullable(uuid),
  details: anything,
  /** The microsecond before the subject was read; a higher one is a later state. */
  version: count,
};

const UserEventSchema = named('UserEvent', {
  type: oneOf(typesAbout('user')),
  timestamp: instant,
  data: object({ ...HAPPENED, user: orNull(ManagedUserSchema) }),
});

const OrgEventSchema = named('OrgEvent', {
  type: oneOf(typesAbout('org')),
  timestamp: instant,
  data: object({ ...HAPPENED, org: orNull(ManagedOrganizationSchema) }),
});

const RoleEventSchema = named('RoleEvent', {
  type: oneOf(typesAbout('role')),
  timestamp: instant,
  data: object({ ...HAPPENED, role: orNull(OrganizationRoleSchema) }),
});

const SubscriptionEventSchema = named('SubscriptionEvent', {
  type: oneOf(typesAbout('subscription')),
  timestamp: instant,
  data: object({ ...HAPPENED, subscription: SubscriptionSchema }),
});

/** What `webhook test` sends. */
export const TestEventSchema = named('TestEvent', {
  type: oneOf(['webhook.test']),
  timestamp: instant,
  data: object({}),
});

/** The schemas of what is sent, by what it is about. */
export const EVENT_SCHEMAS = {
  user: UserEventSchema,
  org: OrgEventSchema,
  role: RoleEventSchema,
  subscription: SubscriptionEventSchema,
} satisfies Record<EventSubject, Schema>;

/** What an endpoint is sent: what happened, and its subject as it is now, null once it is gone. */
export type EventPayload =
  | Described<(typeof EVENT_SCHEMAS)[EventSubject]>
  | Described<typeof TestEventSchema>;
