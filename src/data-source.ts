import pg from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { AuditChain } from './audit/audit-chain.entity.js';
import { AuditEvent } from './audit/audit-event.entity.js';
import { EmailChange } from './auth/email-change.entity.js';
import { Identity } from './auth/identity.entity.js';
import { KnownDevice } from './auth/known-device.entity.js';
import { LinkRequest } from './auth/link-request.entity.js';
import { RemovedIdentity } from './auth/removed-identity.entity.js';
import { UsedState } from './auth/used-state.entity.js';
import { BillingCustomer } from './billing/billing-customer.entity.js';
import { StripeAttempt } from './billing/stripe-attempt.entity.js';
import { StripeEvent } from './billing/stripe-event.entity.js';
import type { Environment } from './config/environment.js';
import { ScheduledJob } from './cron/scheduled-job.entity.js';
import { PostgresNaming } from './database/naming.js';
import {
  ANSWER_TIMEOUT_MS,
  CONNECT_TIMEOUT_MS,
  LOCK_TIMEOUT_MS,
  STATEMENT_TIMEOUT_MS,
} from './database/pool.js';
import { PrimaryClient } from './database/primary-client.js';
import { Passkey } from './factors/passkey.entity.js';
import { RecoveryCode } from './factors/recovery-code.entity.js';
import { TotpFactor } from './factors/totp-factor.entity.js';
import { MailOutage } from './mail/mail-outage.entity.js';
import { OutboxMail } from './mail/outbox-mail.entity.js';
import { Invitation } from './orgs/invitation.entity.js';
import { InvitationMail } from './orgs/invitation-mail.entity.js';
import { Organization } from './orgs/organization.entity.js';
import type { Product } from './product.js';
import { PendingLogin } from './sessions/pending-login.entity.js';
import { Session } from './sessions/session.entity.js';
import { Signup } from './signups/signup.entity.js';
import { OneTimeToken } from './tokens/one-time-token.entity.js';
import { User } from './users/user.entity.js';
import { WebhookDelivery } from './webhooks/webhook-delivery.entity.js';
import { WebhookOutage } from './webhooks/webhook-outage.entity.js';

/**
 * The one database of the service and of a product. PostgreSQL cuts a long statement off, and the service gives it up soon
 * after.
 */
export function dataSourceOptions(
  { databaseUrl, databasePoolSize }: Environment,
  { entities = [] }: Product,
): DataSourceOptions {
  return {
    type: 'postgres',
    // Otherwise TypeORM looks for it by itself, and loads it a second time beside the one in the bundle.
    driver: pg,
    ...(databaseUrl !== undefined && { url: databaseUrl }),
    entities: [
      Organization,
      User,
      Session,
      PendingLogin,
      KnownDevice,
      OneTimeToken,
      LinkRequest,
      Signup,
      EmailChange,
      Identity,
      RemovedIdentity,
      Passkey,
      TotpFactor,
      RecoveryCode,
      UsedState,
      Invitation,
      InvitationMail,
      OutboxMail,
      MailOutage,
      AuditEvent,
      AuditChain,
      WebhookDelivery,
      WebhookOutage,
      ScheduledJob,
      BillingCustomer,
      StripeEvent,
      StripeAttempt,
      ...entities,
    ],
    namingStrategy: new PostgresNaming(),
    applicationName: 'latchkey',
    poolSize: databasePoolSize,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    extra: {
      Client: PrimaryClient,
      onConnect: PrimaryClient.prepare,
      lock_timeout: LOCK_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
    },
  };
}
