import type { IssuedToken } from '../accounts/one-time-tokens.repository.js';
import { Role } from '../http/role.js';
import type { Language } from '../words/language.js';
import { Word } from '../words/words.js';
import type { MailKind } from './mail-kinds.js';
import type { Mail } from './mailer.js';
import type { Messages, NewLogin } from './messages.js';

/** No token of ours has this form, so that its link opens nothing. */
const TOKEN = 'sample-link-that-opens-nothing';
const CODE = '0000-0000';

/** The address that samples go to, unless an admin sends one to themselves. */
export const SAMPLE_ADDRESS = 'ada@example.com';

/** The other people of samples. */
const OTHER_ADDRESS = 'charles@example.com';

/** The same at every time: files of a preview differ only where their words do. */
const THEN = new Date('2026-11-21T13:30:00Z');

/** What samples say of people and things. */
interface Sample {
  to: string;
  issued: IssuedToken;
  code: { code: string; expiresAt: Date };
  login: NewLogin;
  person: string;
  org: string;
  passkey: string;
}

/** How a mail of each kind is written, by what writes the real ones. */
const SAMPLES: Record<MailKind, (messages: Messages, sample: Sample) => Mail> = {
  verification: (messages, { issued, code }) => messages.verification(issued, code),
  'already-registered': (messages, { to }) => messages.alreadyRegistered(to),
  'password-reset': (messages, { issued, code }) => messages.passwordReset(issued, code),
  'login-code': (messages, { issued, code }) => messages.loginCode(issued, code),
  'step-up-code': (messages, { issued, code }) => messages.stepUpCode(issued, code),
  'password-changed': (messages, { issued }) => messages.passwordChanged(issued),
  'password-removed': (messages, { issued }) => messages.passwordRemoved(issued),
  'acted-for-you': (messages, { issued }) =>
    messages.actedForYou(issued, {
      reason: 'HELP-4711',
      mayWrite: false,
      startedAt: THEN,
      expiresAt: new Date(THEN.getTime() + 30 * 60_000),
    }),
  'password-known': (messages, { issued }) => messages.passwordKnown(issued),
  'proofs-wrong': (messages, { issued }) => messages.proofsWrong(issued),
  'login-limited': (messages, { to }) => messages.loginLimited(to),
  'new-login': (messages, { issued, login }) => messages.newLogin(issued, login),
  'new-logins': (messages, { issued, login }) =>
    messages.newLogins(issued, [login, { ...login, userAgent: null, ip: null }]),
  'login-pending': (messages, { issued }) => messages.pendingLogin(issued),
  'email-change': (messages, { issued, code }) => messages.emailChange(issued, OTHER_ADDRESS, code),
  'email-change-asked': (messages, { issued }) => messages.emailChangeAsked(issued),
  'email-change-by-admin': (messages, { issued }) => messages.emailChangeByAdmin(issued, OTHER_ADDRESS),
  'email-changed': (messages, { issued }) => messages.emailChanged(issued),
  'email-change-undone': (messages, { to }) => messages.emailChangeUndone(to),
  'address-taken': (messages, { to }) => messages.addressTaken(to),
  'address-held': (messages, { to }) => messages.addressHeld(to),
  'address-corrected': (messages, { to }) => messages.addressCorrected(to),
  'account-exported': (messages, { issued }) => messages.accountExported(issued),
  'identity-linked': (messages, { issued }) => messages.identityLinked(issued),
  'identity-unlinked': (messages, { issued }) => messages.identityUnlinked(issued),
  'passkey-added': (messages, { issued, passkey }) => messages.passkeyAdded(issued, passkey),
  'passkey-removed': (messages, { issued, passkey }) => messages.passkeyRemoved(issued, passkey),
  'second-step-on': (messages, { issued }) => messages.secondStepOn(issued),
  'second-step-off': (messages, { issued }) => messages.secondStepOff(issued),
  'recovery-code-used': (messages, { issued }) => messages.recoveryCodeUsed(issued, 3),
  'recovery-codes-made': (messages, { issued }) => messages.recoveryCodesMade(issued),
  'factors-reset': (messages, { issued }) => messages.factorsReset(issued),
  'factors-reset-asked': (messages, { issued, org }) => messages.factorsResetAsked(issued, org),
  'factors-reset-requested': (messages, { to, org }) =>
    messages.factorsResetRequested(to, { admin: to, email: OTHER_ADDRESS, orgName: org }),
  'language-changed': (messages, { issued }) => messages.languageChanged(issued, 'de'),
  invitation: (messages, { to, issued, org, person }) =>
    messages.invitation({ ...issued, to, orgName: org, role: Role.MEMBER, inviter: person }),
  'member-joined': (messages, { issued, org }) => messages.memberJoined(issued, org, Role.MEMBER),
  'member-left': (messages, { issued, org }) => messages.memberLeft(issued, org),
  'member-removed': (messages, { to, org }) => messages.memberRemoved(to, org),
  'member-suspended': (messages, { to, org }) => messages.memberSuspended(to, org),
  'member-resumed': (messages, { to, org }) => messages.memberResumed(to, org),
  'policy-changed': (messages, { issued, org }) =>
    messages.ownPolicyChange(issued, org, ['idle_minutes', 'networks']),
  'payment-failed': (messages, { to, org }) =>
    messages.paymentFailed(to, {
      orgId: null,
      orgName: org,
      since: THEN,
      until: new Date(THEN.getTime() + 7 * 24 * 60 * 60_000),
    }),
  'org-founded': (messages, { issued, org }) => messages.orgFounded(issued, org),
  'role-lowered': (messages, { to, org }) => messages.roleLowered(to, Role.MEMBER, org),
  'role-raised': (messages, { to, org }) => messages.roleRaised(to, org),
  'role-changed-by-secured': (messages, { to }) =>
    messages.roleChangedBySecured(to, OTHER_ADDRESS, [{ email: to, role: Role.MEMBER, isSuspended: false }]),
  'admin-appointed': (messages, { issued }) => messages.adminAppointed(issued),
  'admin-added': (messages, { to, org }) => messages.adminAdded(to, OTHER_ADDRESS, org),
  'admin-secured': (messages, { to }) =>
    messages.adminSecured(to, OTHER_ADDRESS, [{ email: to, role: Role.ORG_ADMIN, isSuspended: false }]),
  'account-made': (messages, { issued, person, org }) => messages.accountMade(issued, person, org),
  'account-secured': (messages, { to, org }) =>
    messages.accountSecured(to, {
      acts: [{ type: 'member.joined', orgName: org, isOwn: true, secondFactorRequired: null }],
      grants: [{ email: OTHER_ADDRESS, role: Role.ORG_ADMIN, isSuspended: false }],
      memberships: ['ended'],
      hasLostFactors: true,
    }),
  'account-deleted': (messages, { to }) => messages.accountDeleted(to),
  'account-deleted-by-admin': (messages, { to }) => messages.accountDeletedByAdmin(to),
  test: (messages, { to }) => messages.test(to),
};

/** A mail of a kind to an address, with names as the language has them, and with links that open nothing. */
export function sampleOf(kind: MailKind, to: string, messages: Messages, language: Language): Mail {
  return SAMPLES[kind](messages, {
    to,
    issued: { token: TOKEN, userId: '', orgId: null, locale: null, sentTo: to, expiresAt: THEN },
    code: { code: CODE, expiresAt: THEN },
    login: { userAgent: 'Firefox Windows', ip: '192.0.2.7', createdAt: THEN },
    person: language.say(Word['mail.sample.person']),
    org: language.say(Word['mail.sample.org']),
    passkey: language.say(Word['mail.sample.passkey']),
  });
}
