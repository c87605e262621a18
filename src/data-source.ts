import type { DataSourceOptions } from 'typeorm';
import { CreateOrganizations1795204800001 } from '../migrations/1795204800001-create-organizations.js';
import { CreateUsers1795204800002 } from '../migrations/1795204800002-create-users.js';
import { CreateSessions1795204800003 } from '../migrations/1795204800003-create-sessions.js';
import { CreateOneTimeTokens1795204800004 } from '../migrations/1795204800004-create-one-time-tokens.js';
import { CreateIdentities1795204800005 } from '../migrations/1795204800005-create-identities.js';
import { CreateUsedStates1795204800006 } from '../migrations/1795204800006-create-used-states.js';
import { CreateInvitations1795204800007 } from '../migrations/1795204800007-create-invitations.js';
import { AllowChangeEmailTokens1795204800008 } from '../migrations/1795204800008-allow-change-email-tokens.js';
import { CreateInvitationMails1795204800009 } from '../migrations/1795204800009-create-invitation-mails.js';
import { CreateOutbox1795204800010 } from '../migrations/1795204800010-create-outbox.js';
import { CreateLinkRequests1795204800011 } from '../migrations/1795204800011-create-link-requests.js';
import { CreateAuditEvents1795204800012 } from '../migrations/1795204800012-create-audit-events.js';
import { CreateEmailChanges1795204800013 } from '../migrations/1795204800013-create-email-changes.js';
import { NoteWhoAsksForLinks1795204800014 } from '../migrations/1795204800014-note-who-asks-for-links.js';
import { CreateBillingCustomers1795204800020 } from '../migrations/1795204800020-create-billing-customers.js';
import { CreateStripeEvents1795204800021 } from '../migrations/1795204800021-create-stripe-events.js';
import { CreateStripeAttempts1795204800022 } from '../migrations/1795204800022-create-stripe-attempts.js';
import { CreateScheduledJobs1795204800030 } from '../migrations/1795204800030-create-scheduled-jobs.js';
import { CreateKnownDevices1795204800040 } from '../migrations/1795204800040-create-known-devices.js';
import { CreateRateLimits1795204800041 } from '../migrations/1795204800041-create-rate-limits.js';
import { CreateSignups1795204800050 } from '../migrations/1795204800050-create-signups.js';
import { AskForLinksOfSignups1795204800051 } from '../migrations/1795204800051-ask-for-links-of-signups.js';
import { MoveUnverifiedUsersToSignups1795204800052 } from '../migrations/1795204800052-move-unverified-users-to-signups.js';
import { DropVerifyEmailTokens1795204800053 } from '../migrations/1795204800053-drop-verify-email-tokens.js';
import { KeepUndoneEmailChanges1795204800060 } from '../migrations/1795204800060-keep-undone-email-changes.js';
import { RememberForgottenDevices1795204800061 } from '../migrations/1795204800061-remember-forgotten-devices.js';
import { NoteDeclinedInvitations1795204800063 } from '../migrations/1795204800063-note-declined-invitations.js';
import { CanonicaliseAddresses1795204800070 } from '../migrations/1795204800070-canonicalise-addresses.js';
import { NoteAddressesToldToStripe1795204800071 } from '../migrations/1795204800071-note-addresses-told-to-stripe.js';
import { AuditChain } from './audit/audit-chain.entity.js';
import { AuditEvent } from './audit/audit-event.entity.js';
import { EmailChange } from './auth/email-change.entity.js';
import { Identity } from './auth/idp/identity.entity.js';
import { UsedState } from './auth/idp/used-state.entity.js';
import { KnownDevice } from './auth/known-device.entity.js';
import { LinkRequest } from './auth/link-request.entity.js';
import { BillingCustomer } from './billing/billing-customer.entity.js';
import { StripeAttempt } from './billing/stripe-attempt.entity.js';
import { StripeEvent } from './billing/stripe-event.entity.js';
import type { Environment } from './config/environment.js';
import { ScheduledJob } from './cron/scheduled-job.entity.js';
import { PostgresNaming } from './database/naming.js';
import { CONNECT_TIMEOUT_MS } from './database/pool.js';
import { PrimaryClient } from './database/primary-client.js';
import { MailOutage } from './mail/mail-outage.entity.js';
import { OutboxMail } from './mail/outbox-mail.entity.js';
import { Invitation } from './orgs/invitation.entity.js';
import { InvitationMail } from './orgs/invitation-mail.entity.js';
import { Organization } from './orgs/organization.entity.js';
import { Session } from './sessions/session.entity.js';
import { Signup } from './signups/signup.entity.js';
import { OneTimeToken } from './tokens/one-time-token.entity.js';
import { User } from './users/user.entity.js';

const STATEMENT_TIMEOUT_MS = 10_000;

/**
 * A statement waits for a lock no longer than for a connection: a longer wait would keep connections from the others.
 */
const LOCK_TIMEOUT_MS = CONNECT_TIMEOUT_MS;

/** The one database of the service. PostgreSQL cuts a long statement off, and the service gives it up soon after. */
export function dataSourceOptions({ databaseUrl, databasePoolSize }: Environment): DataSourceOptions {
  return {
    type: 'postgres',
    ...(databaseUrl !== undefined && { url: databaseUrl }),
    entities: [
      Organization,
      User,
      Session,
      KnownDevice,
      OneTimeToken,
      LinkRequest,
      Signup,
      EmailChange,
      Identity,
      UsedState,
      Invitation,
      InvitationMail,
      OutboxMail,
      MailOutage,
      AuditEvent,
      AuditChain,
      ScheduledJob,
      BillingCustomer,
      StripeEvent,
      StripeAttempt,
    ],
    migrations: [
      CreateOrganizations1795204800001,
      CreateUsers1795204800002,
      CreateSessions1795204800003,
      CreateOneTimeTokens1795204800004,
      CreateIdentities1795204800005,
      CreateUsedStates1795204800006,
      CreateInvitations1795204800007,
      AllowChangeEmailTokens1795204800008,
      CreateInvitationMails1795204800009,
      CreateOutbox1795204800010,
      CreateLinkRequests1795204800011,
      CreateAuditEvents1795204800012,
      CreateEmailChanges1795204800013,
      NoteWhoAsksForLinks1795204800014,
      CreateScheduledJobs1795204800030,
      CreateKnownDevices1795204800040,
      CreateRateLimits1795204800041,
      CanonicaliseAddresses1795204800070,
      NoteAddressesToldToStripe1795204800071,
      KeepUndoneEmailChanges1795204800060,
      RememberForgottenDevices1795204800061,
      CreateBillingCustomers1795204800020,
      CreateStripeEvents1795204800021,
      CreateStripeAttempts1795204800022,
      NoteDeclinedInvitations1795204800063,
      CreateSignups1795204800050,
      AskForLinksOfSignups1795204800051,
      MoveUnverifiedUsersToSignups1795204800052,
      DropVerifyEmailTokens1795204800053,
    ],
    namingStrategy: new PostgresNaming(),
    applicationName: 'latchkey',
    poolSize: databasePoolSize,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    extra: {
      Client: PrimaryClient,
      onConnect: PrimaryClient.refuseStandby,
      lock_timeout: LOCK_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS + 1_000,
    },
  };
}
