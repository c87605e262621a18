import pg from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { EmailChange } from '../accounts/email-change.entity.js';
import { Identity } from '../accounts/identity.entity.js';
import { Invitation } from '../accounts/invitation.entity.js';
import { InvitationMail } from '../accounts/invitation-mail.entity.js';
import { KnownDevice } from '../accounts/known-device.entity.js';
import { OneTimeToken } from '../accounts/one-time-token.entity.js';
import { Organization } from '../accounts/organization.entity.js';
import { Passkey } from '../accounts/passkey.entity.js';
import { PendingLogin } from '../accounts/pending-login.entity.js';
import { RecoveryCode } from '../accounts/recovery-code.entity.js';
import { RemovedIdentity } from '../accounts/removed-identity.entity.js';
import { Session } from '../accounts/session.entity.js';
import { Signup } from '../accounts/signup.entity.js';
import { TotpFactor } from '../accounts/totp-factor.entity.js';
import { User } from '../accounts/user.entity.js';
import { AuditChain } from '../audit/audit-chain.entity.js';
import { AuditEvent } from '../audit/audit-event.entity.js';
import { UsedState } from '../auth/login/used-state.entity.js';
import { LinkRequest } from '../auth/signup/link-request.entity.js';
import { BillingCustomer } from '../billing/billing-customer.entity.js';
import { StripeAttempt } from '../billing/stripe-attempt.entity.js';
import { StripeEvent } from '../billing/stripe-event.entity.js';
import type { Environment } from '../config/environment.js';
import { ScheduledJob } from '../cron/scheduled-job.entity.js';
import { PostgresNaming } from '../database/naming.js';
import {
  ANSWER_TIMEOUT_MS,
  CONNECT_TIMEOUT_MS,
  LOCK_TIMEOUT_MS,
  STATEMENT_TIMEOUT_MS,
} from '../database/pool.js';
import { PrimaryClient } from '../database/primary-client.js';
import { WebhookDelivery } from '../events/webhook-delivery.entity.js';
import { WebhookOutage } from '../events/webhook-outage.entity.js';
import { MailOutage } from '../mail/mail-outage.entity.js';
import { OutboxMail } from '../mail/outbox-mail.entity.js';
import type { Product } from './product.js';

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
