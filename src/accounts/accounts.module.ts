import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Environment } from '../config/environment.js';
import { CronTasks } from '../cron/cron-tasks.js';
import { ActingSessionsRepository } from './acting-sessions.repository.js';
import { AdminsRepository } from './admins.repository.js';
import { CustomRole } from './custom-role.entity.js';
import { CustomRolesRepository } from './custom-roles.repository.js';
import { EmailChange } from './email-change.entity.js';
import { EmailChangesRepository } from './email-changes.repository.js';
import { FactorsRepository } from './factors.repository.js';
import { GrantedPermissionsRepository } from './granted-permissions.repository.js';
import { IdentitiesRepository } from './identities.repository.js';
import { Identity } from './identity.entity.js';
import { Invitation } from './invitation.entity.js';
import { InvitationMail } from './invitation-mail.entity.js';
import { InvitationsRepository } from './invitations.repository.js';
import { Key } from './key.entity.js';
import { KeySecret } from './key-secret.entity.js';
import { KEY_MEMORY_DAYS, KeysRepository } from './keys.repository.js';
import { DEVICE_MEMORY_DAYS, KnownDevice } from './known-device.entity.js';
import { KnownDevicesRepository } from './known-devices.repository.js';
import { LastLogin } from './last-login.entity.js';
import { LastLoginsRepository } from './last-logins.repository.js';
import { ListedUsersRepository } from './listed-users.repository.js';
import { MailedCode } from './mailed-code.entity.js';
import { MailedCodesRepository } from './mailed-codes.repository.js';
import { Membership } from './membership.entity.js';
import { MembershipsRepository } from './memberships.repository.js';
import { OneTimeToken } from './one-time-token.entity.js';
import { OneTimeTokensRepository } from './one-time-tokens.repository.js';
import { Org } from './org.entity.js';
import { OrgEntriesRepository } from './org-entries.repository.js';
import { OrgEntry } from './org-entry.entity.js';
import { OrgsRepository } from './orgs.repository.js';
import { Passkey } from './passkey.entity.js';
import { PasskeysRepository } from './passkeys.repository.js';
import { PendingLogin } from './pending-login.entity.js';
import { PendingLoginsRepository } from './pending-logins.repository.js';
import { RecoveryCode } from './recovery-code.entity.js';
import { RemovedIdentity } from './removed-identity.entity.js';
import { SealedSecretsRepository } from './sealed-secrets.repository.js';
import { SentInvitationsRepository } from './sent-invitations.repository.js';
import { Session } from './session.entity.js';
import { SessionsRepository } from './sessions.repository.js';
import { Signup } from './signup.entity.js';
import { SignupsRepository } from './signups.repository.js';
import { TotpFactor } from './totp-factor.entity.js';
import { User } from './user.entity.js';
import { UsersRepository } from './users.repository.js';

const ENTITIES = [
  Org,
  User,
  Membership,
  OrgEntry,
  Session,
  LastLogin,
  PendingLogin,
  KnownDevice,
  OneTimeToken,
  Signup,
  EmailChange,
  MailedCode,
  Identity,
  RemovedIdentity,
  Passkey,
  TotpFactor,
  RecoveryCode,
  CustomRole,
  Invitation,
  InvitationMail,
  Key,
  KeySecret,
];

const REPOSITORIES = [
  UsersRepository,
  ListedUsersRepository,
  LastLoginsRepository,
  AdminsRepository,
  OrgsRepository,
  MembershipsRepository,
  OrgEntriesRepository,
  CustomRolesRepository,
  InvitationsRepository,
  SentInvitationsRepository,
  IdentitiesRepository,
  PasskeysRepository,
  FactorsRepository,
  SealedSecretsRepository,
  KnownDevicesRepository,
  SessionsRepository,
  ActingSessionsRepository,
  PendingLoginsRepository,
  SignupsRepository,
  OneTimeTokensRepository,
  EmailChangesRepository,
  MailedCodesRepository,
  KeysRepository,
  GrantedPermissionsRepository,
];

/** The records of people, which every feature asks. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature(ENTITIES)],
  providers: REPOSITORIES,
  exports: REPOSITORIES,
})
export class AccountsModule implements OnModuleInit {
  constructor(
    private readonly cron: CronTasks,
    private readonly environment: Environment,
  ) {}

  onModuleInit(): void {
    this.cron.prune({ table: 'sessions', keptDays: this.environment.cronSessionRetentionDays });
    this.cron.prune({ table: 'known_devices', overAt: 'last_seen_at', keptDays: DEVICE_MEMORY_DAYS });
    this.cron.prune({ table: 'keys', overAt: 'ended_at', keptDays: KEY_MEMORY_DAYS });
    for (const table of [
      'pending_logins',
      'signups',
      'one_time_tokens',
      'mailed_codes',
      'email_changes',
      'invitation_mails',
      'org_entries',
    ])
      this.cron.prune({ table, keptDays: 0 });
  }
}
