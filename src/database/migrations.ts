import type { MigrationInterface } from 'typeorm';

/** Every migration of the service by its name, in the order they run. A start that finds none missing loads no file of them. */
const MIGRATIONS: Record<string, () => Promise<object>> = {
  CreateOrganizations1795204800001: () => import('../../migrations/1795204800001-create-organizations.js'),
  CreateUsers1795204800002: () => import('../../migrations/1795204800002-create-users.js'),
  CreateSessions1795204800003: () => import('../../migrations/1795204800003-create-sessions.js'),
  CreateOneTimeTokens1795204800004: () => import('../../migrations/1795204800004-create-one-time-tokens.js'),
  CreateIdentities1795204800005: () => import('../../migrations/1795204800005-create-identities.js'),
  CreateUsedStates1795204800006: () => import('../../migrations/1795204800006-create-used-states.js'),
  CreateInvitations1795204800007: () => import('../../migrations/1795204800007-create-invitations.js'),
  AllowChangeEmailTokens1795204800008: () =>
    import('../../migrations/1795204800008-allow-change-email-tokens.js'),
  CreateInvitationMails1795204800009: () =>
    import('../../migrations/1795204800009-create-invitation-mails.js'),
  CreateOutbox1795204800010: () => import('../../migrations/1795204800010-create-outbox.js'),
  CreateLinkRequests1795204800011: () => import('../../migrations/1795204800011-create-link-requests.js'),
  CreateAuditEvents1795204800012: () => import('../../migrations/1795204800012-create-audit-events.js'),
  CreateEmailChanges1795204800013: () => import('../../migrations/1795204800013-create-email-changes.js'),
  NoteWhoAsksForLinks1795204800014: () => import('../../migrations/1795204800014-note-who-asks-for-links.js'),
  CreateBillingCustomers1795204800020: () =>
    import('../../migrations/1795204800020-create-billing-customers.js'),
  CreateStripeEvents1795204800021: () => import('../../migrations/1795204800021-create-stripe-events.js'),
  CreateStripeAttempts1795204800022: () => import('../../migrations/1795204800022-create-stripe-attempts.js'),
  CreateScheduledJobs1795204800030: () => import('../../migrations/1795204800030-create-scheduled-jobs.js'),
  CreateKnownDevices1795204800040: () => import('../../migrations/1795204800040-create-known-devices.js'),
  CreateRateLimits1795204800041: () => import('../../migrations/1795204800041-create-rate-limits.js'),
  CreateSignups1795204800050: () => import('../../migrations/1795204800050-create-signups.js'),
  AskForLinksOfSignups1795204800051: () =>
    import('../../migrations/1795204800051-ask-for-links-of-signups.js'),
  MoveUnverifiedUsersToSignups1795204800052: () =>
    import('../../migrations/1795204800052-move-unverified-users-to-signups.js'),
  DropVerifyEmailTokens1795204800053: () =>
    import('../../migrations/1795204800053-drop-verify-email-tokens.js'),
  KeepUndoneEmailChanges1795204800060: () =>
    import('../../migrations/1795204800060-keep-undone-email-changes.js'),
  RememberForgottenDevices1795204800061: () =>
    import('../../migrations/1795204800061-remember-forgotten-devices.js'),
  NoteDeclinedInvitations1795204800063: () =>
    import('../../migrations/1795204800063-note-declined-invitations.js'),
  CanonicaliseAddresses1795204800070: () =>
    import('../../migrations/1795204800070-canonicalise-addresses.js'),
  NoteAddressesToldToStripe1795204800071: () =>
    import('../../migrations/1795204800071-note-addresses-told-to-stripe.js'),
  NoteWhenSessionsAuthenticated1795204800080: () =>
    import('../../migrations/1795204800080-note-when-sessions-authenticated.js'),
  AddPasskeys1795204800090: () => import('../../migrations/1795204800090-add-passkeys.js'),
  AddSecondFactors1795204800100: () => import('../../migrations/1795204800100-add-second-factors.js'),
  AddPendingLogins1795204800101: () => import('../../migrations/1795204800101-add-pending-logins.js'),
  LetOrganizationsRequireSecondFactors1795204800102: () =>
    import('../../migrations/1795204800102-let-organizations-require-second-factors.js'),
  IndexWhatListsFilterBy1795204800110: () =>
    import('../../migrations/1795204800110-index-what-lists-filter-by.js'),
  CreateWebhookDeliveries1795204800120: () =>
    import('../../migrations/1795204800120-create-webhook-deliveries.js'),
  CountLimitsTogether1795204800130: () => import('../../migrations/1795204800130-count-limits-together.js'),
  LinkIdentitiesAfterSecondStep1795204800140: () =>
    import('../../migrations/1795204800140-link-identities-after-second-step.js'),
  RememberRemovedIdentities1795204800141: () =>
    import('../../migrations/1795204800141-remember-removed-identities.js'),
  KeepOwnRoles1795204800160: () => import('../../migrations/1795204800160-keep-own-roles.js'),
  ValidateOwnRoles1795204800161: () => import('../../migrations/1795204800161-validate-own-roles.js'),
  HoldAddresses1795204800170: () => import('../../migrations/1795204800170-hold-addresses.js'),
  NoteCustomersUnknownToStripe1795204800190: () =>
    import('../../migrations/1795204800190-note-customers-unknown-to-stripe.js'),
  SealAuditEvents1795204800191: () => import('../../migrations/1795204800191-seal-audit-events.js'),
  NoteWhatRaisedSessions1795204800220: () =>
    import('../../migrations/1795204800220-note-what-raised-sessions.js'),
  ValidateWhatRaisedSessions1795204800221: () =>
    import('../../migrations/1795204800221-validate-what-raised-sessions.js'),
  NoteKeptRecoveryCodes1795204800230: () =>
    import('../../migrations/1795204800230-note-kept-recovery-codes.js'),
  IndexSearches1795204800245: () => import('../../migrations/1795204800245-index-searches.js'),
  IndexOrdersOfUsers1795204800246: () => import('../../migrations/1795204800246-index-orders-of-users.js'),
  CreateLastLogins1795204800247: () => import('../../migrations/1795204800247-create-last-logins.js'),
  CreateFigures1795204800255: () => import('../../migrations/1795204800255-create-figures.js'),
  CreateMailedCodes1795204800256: () => import('../../migrations/1795204800256-create-mailed-codes.js'),
  MailCodesBesideLinks1795204800257: () =>
    import('../../migrations/1795204800257-mail-codes-beside-links.js'),
  SpeakLanguages1795204800258: () => import('../../migrations/1795204800258-speak-languages.js'),
  ExpectBusyUsers1795204800259: () => import('../../migrations/1795204800259-expect-busy-users.js'),
  CreateMemberships1795204800260: () => import('../../migrations/1795204800260-create-memberships.js'),
  IndexMemberships1795204800261: () => import('../../migrations/1795204800261-index-memberships.js'),
  NoteEntries1795204800262: () => import('../../migrations/1795204800262-note-entries.js'),
  SuspendMembers1795204800263: () => import('../../migrations/1795204800263-suspend-members.js'),
  AskMoreOfMembers1795204800264: () => import('../../migrations/1795204800264-ask-more-of-members.js'),
  IndexActiveMemberships1795204800265: () =>
    import('../../migrations/1795204800265-index-active-memberships.js'),
  NameExternalIds1795204800266: () => import('../../migrations/1795204800266-name-external-ids.js'),
  IndexExternalIds1795204800267: () => import('../../migrations/1795204800267-index-external-ids.js'),
  AllowMailedLoginCodes1795204800268: () =>
    import('../../migrations/1795204800268-allow-mailed-login-codes.js'),
  ActForUsers1795204800269: () => import('../../migrations/1795204800269-act-for-users.js'),
  IndexActingSessions1795204800270: () => import('../../migrations/1795204800270-index-acting-sessions.js'),
  KeepModesOfCustomers1795204800272: () =>
    import('../../migrations/1795204800272-keep-modes-of-customers.js'),
  MailAboutLatePayments1795204800273: () =>
    import('../../migrations/1795204800273-mail-about-late-payments.js'),
  ComposeRoles1795204800274: () => import('../../migrations/1795204800274-compose-roles.js'),
  CreateKeys1795204800275: () => import('../../migrations/1795204800275-create-keys.js'),
};

/** The class of a migration. */
export type MigrationClass = new () => MigrationInterface;

/** TypeORM takes the order of the migrations from the end of their names. */
const NUMBER = /\d{13}$/;

/** The migrations of this version of the service, and those of a product, which may refer to the service's tables. */
export class Migrations {
  /** In the order they run. */
  readonly names: string[];

  private readonly ofProduct: ReadonlyMap<string, MigrationClass>;

  /** Throws an Error for a name without a number, or one that another migration has: it would count as run. */
  constructor(ofProduct: readonly MigrationClass[] = []) {
    this.ofProduct = new Map(ofProduct.map((migration) => [nameOf(migration), migration]));
    this.names = [...Object.keys(MIGRATIONS), ...ofProduct.map(nameOf)].sort(byNumber);
    const [twice] = this.names.filter((name, index) => this.names.indexOf(name) !== index);
    if (twice !== undefined) throw new Error(`Two migrations are called ${twice}. Give one another name.`);
  }

  load(): Promise<MigrationClass[]> {
    return Promise.all(this.names.map((name) => this.ofProduct.get(name) ?? loadOurs(name)));
  }
}

async function loadOurs(name: string): Promise<MigrationClass> {
  const file = (await MIGRATIONS[name]?.()) as Record<string, MigrationClass>;
  return file[name] as MigrationClass;
}

/** As TypeORM names it. */
function nameOf(migration: MigrationClass): string {
  const name = new migration().name ?? migration.name;
  if (!NUMBER.test(name))
    throw new Error(
      `The name of the migration ${name} must end with 13 digits, such as ${name}${Date.now()}.`,
    );
  return name;
}

function byNumber(one: string, other: string): number {
  return Number(NUMBER.exec(one)?.[0]) - Number(NUMBER.exec(other)?.[0]);
}
