import type { IssuedToken } from '../accounts/one-time-tokens.repository.js';
import type { Environment } from '../config/environment.js';
import type { OrgRule } from '../http/org-policy.js';
import { Role } from '../http/role.js';
import { MAX_REASON_CODE_POINTS } from '../validation/rules.js';
import { linksIn } from '../words/footer-links.js';
import type { Language } from '../words/language.js';
import { plainName } from '../words/plain-name.js';
import { Word } from '../words/words.js';
import { deviceInWords } from './device-words.js';
import { type Action, asHtml, asText, type Message } from './layout.js';
import type { Links } from './links.js';
import type { MailKind } from './mail-kinds.js';
import type { Mail } from './mailer.js';
import type { OwnFrame } from './own-frame.js';

/** A message to one address. */
type AddressedMessage = Pick<Mail, 'to' | 'expiresAt'> & Message & { kind: MailKind };

/** What a mail reports to the owner of an account. */
type Notice = Pick<AddressedMessage, 'kind' | 'subject' | 'paragraphs' | 'code'>;

/** What the mail of an invitation says. */
export interface InvitationToMail {
  to: string;
  orgName: string;
  role: Role;
  /** The name of who invites, or else their address. */
  inviter: string;
  token: string;
  expiresAt: Date;
}

/** A code that does the same as the link of its mail, in the browser that asked for it. */
export interface CodeToMail {
  /** As its reader types it, such as `7Q4M-0ZK2`. */
  code: string;
  expiresAt: Date;
}

/** A request of an organization's admin to reset the second factors of a member: the addresses of both. */
export interface FactorsRequest {
  admin: string;
  email: string;
  orgName: string;
}

/** Something that an admin did to the standing of another user. */
export interface Grant {
  /** Null when the account is gone. */
  email: string | null;
  /** Null when they were taken out of the organization, or suspended. */
  role: Role | null;
  isSuspended: boolean;
}

/** Something that a user did with an organization. */
export interface OrgAct {
  type:
    | 'member.joined'
    | 'member.removed'
    | 'org.created'
    | 'org.policy_changed'
    | 'org.updated'
    | 'org.deleted';
  /** Null when the organization is gone. */
  orgName: string | null;
  /** Whether the user did it. */
  isOwn: boolean;
  /** Null where the rule stays as it was. */
  secondFactorRequired: boolean | null;
}

/** What a SYSTEM_ADMIN who acts for a user may do, until when, and what they say it is for. */
export interface ActingToMail {
  reason: string;
  mayWrite: boolean;
  startedAt: Date;
  expiresAt: Date;
}

/** A payment that is missing: of which organization, null for that of the reader, since when, and until when nothing changes. */
export interface MissingPayment {
  orgId: string | null;
  orgName: string | null;
  since: Date;
  until: Date;
}

/** What the owner of a secured account has to know of its last days. */
export interface SecuredAccount {
  acts: OrgAct[];
  grants: Grant[];
  /** What became of its recent memberships. */
  memberships: ('ended' | 'kept')[];
  /** Whether it had an authenticator app or passkeys so recent that they were removed. */
  hasLostFactors: boolean;
}

/** A login to an account, as its session knows it. */
export interface NewLogin {
  userAgent: string | null;
  ip: string | null;
  createdAt: Date;
}

/** What a mail says of an act of an account, about an organization that has a name still, and about one that is gone. */
const ACTS = {
  'member.joined': [Word['mail.act.joined'], Word['mail.act.joinedGone']],
  'member.removed': [Word['mail.act.left'], Word['mail.act.leftGone']],
  'member.takenOut': [Word['mail.act.takenOut'], Word['mail.act.takenOutGone']],
  'org.created': [Word['mail.act.founded'], Word['mail.act.foundedGone']],
  'org.policy_changed': [Word['mail.act.policyChanged'], Word['mail.act.policyChangedGone']],
  'org.updated': [Word['mail.act.renamed'], Word['mail.act.renamedGone']],
} as const;

/** The same where the account changed whether members need a second step. */
const RULES = {
  true: [Word['mail.act.required'], Word['mail.act.requiredGone']],
  false: [Word['mail.act.notRequired'], Word['mail.act.notRequiredGone']],
} as const;

const MEMBERSHIPS = {
  ended: Word['mail.accountSecured.membershipEnded'],
  kept: Word['mail.accountSecured.membershipKept'],
} as const;

/** How many acts a mail lists one by one. */
const MAX_LISTED = 20;

/** Writes every mail in one language, in the words of the catalogue. */
export class Messages {
  private readonly product: string;

  constructor(
    private readonly environment: Environment,
    private readonly links: Links,
    private readonly language: Language,
    private readonly frame: OwnFrame | null = null,
    /** Whether the subject says that the mail is a test. */
    private readonly isTest = false,
  ) {
    this.product = plainName(environment.productName);
  }

  verification(
    { token, sentTo, expiresAt }: Pick<IssuedToken, 'token' | 'sentTo' | 'expiresAt'>,
    code?: CodeToMail,
  ): Mail {
    return this.write({
      kind: 'verification',
      to: sentTo,
      expiresAt,
      subject: this.language.say(Word['mail.verification.subject']),
      paragraphs: [this.language.say(Word['mail.verification.confirm'])],
      action: {
        label: this.language.say(Word['mail.action.confirmAddress']),
        link: this.links.verifyEmail(token),
      },
      ...this.withCode(code),
      aside: {
        label: this.language.say(Word['mail.verification.notMe']),
        link: this.links.secureAccount(token),
      },
      footnote: this.language.say(Word['mail.verification.footnote'], { until: expiresAt }),
    });
  }

  alreadyRegistered(to: string): Mail {
    return this.write({
      kind: 'already-registered',
      to,
      subject: this.language.say(Word['mail.alreadyRegistered.subject']),
      paragraphs: [this.language.say(Word['mail.alreadyRegistered.nothingChanged'])],
      action: this.logIn(),
      aside: {
        ...this.setNewPassword(),
        label: this.language.say(Word['mail.alreadyRegistered.setNewPassword']),
      },
    });
  }

  passwordReset({ token, sentTo, expiresAt }: IssuedToken, code?: CodeToMail): Mail {
    return this.write({
      kind: 'password-reset',
      to: sentTo,
      expiresAt,
      subject: this.language.say(Word['mail.passwordReset.subject']),
      paragraphs: [this.language.say(Word['mail.passwordReset.asked'])],
      action: {
        label: this.language.say(Word['mail.action.setNewPassword']),
        link: this.links.resetPassword(token),
      },
      ...this.withCode(code),
      footnote: this.language.say(Word['mail.passwordReset.footnote'], { until: expiresAt }),
    });
  }

  /** Its link holds the code, not the token that would log in any browser. */
  loginCode({ sentTo }: Pick<IssuedToken, 'sentTo'>, code: CodeToMail): Mail {
    return this.write({
      kind: 'login-code',
      to: sentTo,
      expiresAt: code.expiresAt,
      subject: this.language.say(Word['mail.loginCode.subject']),
      paragraphs: [this.language.say(Word['mail.loginCode.asked'])],
      action: {
        label: this.language.say(Word['mail.action.logIn']),
        link: this.links.loginCode(code.code),
      },
      ...this.withCode(code),
      footnote: this.language.say(Word['mail.loginCode.footnote']),
    });
  }

  /** Has no link that does what the code does: it would open a page outside of the session that asked. */
  stepUpCode(issued: IssuedToken, { code, expiresAt }: CodeToMail): Mail {
    return this.notice(issued, {
      kind: 'step-up-code',
      subject: this.language.say(Word['mail.stepUpCode.subject']),
      paragraphs: [
        this.language.say(Word['mail.stepUpCode.asked']),
        this.language.say(Word['mail.stepUpCode.notYou']),
      ],
      code: {
        label: this.language.say(Word['mail.stepUpCode.enter'], { until: expiresAt }),
        code,
        warning: this.language.say(Word['mail.code.warning']),
      },
    });
  }

  passwordChanged(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'password-changed',
      subject: this.language.say(Word['mail.passwordChanged.subject']),
      paragraphs: [
        this.language.say(Word['mail.passwordChanged.changed']),
        this.language.say(Word['mail.notYou']),
      ],
    });
  }

  passwordRemoved(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'password-removed',
      subject: this.language.say(Word['mail.passwordRemoved.subject']),
      paragraphs: [
        this.language.say(Word['mail.passwordRemoved.removed']),
        this.language.say(Word['mail.notYou']),
      ],
    });
  }

  adminAppointed({ token, sentTo, expiresAt }: IssuedToken): Mail {
    return this.write({
      kind: 'admin-appointed',
      to: sentTo,
      expiresAt,
      subject: this.language.say(Word['mail.adminAppointed.subject']),
      paragraphs: [this.language.say(Word['mail.adminAppointed.appointed'])],
      action: {
        label: this.language.say(Word['mail.action.setPassword']),
        link: this.links.adminPassword(token),
      },
      footnote: this.language.say(Word['mail.worksOnce'], { until: expiresAt }),
    });
  }

  /** For a person to whom an admin gives an account. Nobody can log in to it before the link is used. */
  accountMade({ token, sentTo, expiresAt }: IssuedToken, admin: string | null, orgName: string | null): Mail {
    return this.write({
      kind: 'account-made',
      to: sentTo,
      expiresAt,
      subject: this.language.say(Word['mail.accountMade.subject']),
      paragraphs: [this.made(admin, orgName), this.language.say(Word['mail.accountMade.choose'])],
      action: {
        label: this.language.say(Word['mail.action.setPassword']),
        link: this.links.resetPassword(token),
      },
      footnote: this.language.say(Word['mail.accountMade.footnote'], { until: expiresAt }),
    });
  }

  /** Written in the former language. */
  languageChanged(issued: IssuedToken, tag: string): Mail {
    const { language } = this;
    return this.notice(issued, {
      kind: 'language-changed',
      subject: language.say(Word['mail.languageChanged.subject']),
      paragraphs: [
        language.say(Word['mail.languageChanged.changed'], { language: language.nameOf(tag) }),
        language.say(Word['mail.notYou']),
      ],
    });
  }

  accountExported(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'account-exported',
      subject: this.language.say(Word['mail.accountExported.subject']),
      paragraphs: [
        this.language.say(Word['mail.accountExported.asked']),
        this.language.say(Word['mail.notYou']),
      ],
    });
  }

  identityLinked(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'identity-linked',
      subject: this.language.say(Word['mail.identityLinked.subject']),
      paragraphs: [
        this.language.say(Word['mail.identityLinked.linked']),
        this.language.say(Word['mail.notYou']),
      ],
    });
  }

  /** Not every provider has confirmed the address of the account. */
  identityLinkedOnPurpose(issued: IssuedToken, provider: string): Mail {
    return this.notice(issued, {
      kind: 'identity-linked',
      subject: this.language.say(Word['mail.identityLinked.subject']),
      paragraphs: [
        this.language.say(Word['mail.identityLinked.onPurpose'], { provider }),
        this.language.say(Word['mail.notYou']),
      ],
    });
  }

  passkeyAdded(issued: IssuedToken, name: string): Mail {
    return this.notice(issued, {
      kind: 'passkey-added',
      subject: this.language.say(Word['mail.passkeyAdded.subject']),
      paragraphs: [
        this.language.say(Word['mail.passkeyAdded.added'], { passkey: plainName(name) }),
        this.language.say(Word['mail.passkeyAdded.notYou']),
      ],
    });
  }

  passkeyRemoved(issued: IssuedToken, name: string): Mail {
    return this.notice(issued, {
      kind: 'passkey-removed',
      subject: this.language.say(Word['mail.passkeyRemoved.subject']),
      paragraphs: [
        this.language.say(Word['mail.passkeyRemoved.removed'], { passkey: plainName(name) }),
        this.language.say(Word['mail.notYou']),
      ],
    });
  }

  secondStepOn(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'second-step-on',
      subject: this.language.say(Word['mail.secondStepOn.subject']),
      paragraphs: [
        this.language.say(Word['mail.secondStepOn.added']),
        this.language.say(Word['mail.secondStepOn.notYou']),
      ],
    });
  }

  secondStepOff(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'second-step-off',
      subject: this.language.say(Word['mail.secondStepOff.subject']),
      paragraphs: [
        this.language.say(Word['mail.secondStepOff.removed']),
        this.language.say(Word['mail.notYou']),
      ],
    });
  }

  factorsReset(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'factors-reset',
      subject: this.language.say(Word['mail.factorsReset.subject']),
      paragraphs: [
        this.language.say(Word['mail.factorsReset.reset']),
        this.language.say(Word['mail.factorsReset.asked']),
        this.language.say(Word['mail.factorsReset.notAsked']),
      ],
    });
  }

  /** For the owner, when an admin of an organization has asked SYSTEM_ADMINs to reset the second factors. */
  factorsResetAsked(issued: IssuedToken, orgName: string): Mail {
    return this.notice(issued, {
      kind: 'factors-reset-asked',
      subject: this.language.say(Word['mail.factorsResetAsked.subject']),
      paragraphs: [
        this.language.say(Word['mail.factorsResetAsked.asked'], { org: plainName(orgName) }),
        this.language.say(Word['mail.factorsResetAsked.yours']),
        this.language.say(Word['mail.factorsResetAsked.notYours']),
      ],
    });
  }

  /** For SYSTEM_ADMINs, who alone reset the second factors of users who may belong to several organizations. */
  factorsResetRequested(to: string, { admin, email, orgName }: FactorsRequest): Mail {
    return this.write({
      kind: 'factors-reset-requested',
      to,
      subject: this.language.say(Word['mail.factorsResetRequested.subject']),
      paragraphs: [
        this.language.say(Word['mail.factorsResetRequested.asks'], {
          person: plainName(admin),
          org: plainName(orgName),
          email: plainName(email),
        }),
        this.language.say(Word['mail.factorsResetRequested.check'], { email: plainName(email) }),
        this.language.say(Word['mail.factorsResetRequested.what']),
      ],
    });
  }

  recoveryCodeUsed(issued: IssuedToken, left: number): Mail {
    return this.notice(issued, {
      kind: 'recovery-code-used',
      subject: this.language.say(Word['mail.recoveryCodeUsed.subject']),
      paragraphs: [
        this.language.say(Word['mail.recoveryCodeUsed.used'], { count: left }),
        this.language.say(Word['mail.notYou']),
      ],
    });
  }

  recoveryCodesMade(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'recovery-codes-made',
      subject: this.language.say(Word['mail.recoveryCodesMade.subject']),
      paragraphs: [
        this.language.say(Word['mail.recoveryCodesMade.made']),
        this.language.say(Word['mail.recoveryCodesMade.notYou']),
      ],
    });
  }

  passwordKnown(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'password-known',
      subject: this.language.say(Word['mail.passwordKnown.subject']),
      paragraphs: [
        this.language.say(Word['mail.passwordKnown.entered']),
        this.language.say(Word['mail.passwordKnown.notYou']),
      ],
    });
  }

  proofsWrong(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'proofs-wrong',
      subject: this.language.say(Word['mail.proofsWrong.subject']),
      paragraphs: [
        this.language.say(Word['mail.proofsWrong.entered']),
        this.language.say(Word['mail.proofsWrong.notYou']),
      ],
    });
  }

  /** Holds no link that changes anything: a stranger causes this mail, and has not got in. */
  loginLimited(to: string): Mail {
    return this.write({
      kind: 'login-limited',
      to,
      subject: this.language.say(Word['mail.loginLimited.subject']),
      paragraphs: [
        this.language.say(Word['mail.loginLimited.limited']),
        this.language.say(Word['mail.loginLimited.notYou']),
      ],
      action: { ...this.setNewPassword(), isQuiet: true },
    });
  }

  invitation({ to, orgName, role, inviter, token, expiresAt }: InvitationToMail): Mail {
    return this.write({
      kind: 'invitation',
      to,
      expiresAt,
      // Without the name of the organization: readers take a subject for ours, and any user may call theirs "Your
      // account is locked".
      subject: this.language.say(Word['mail.invitation.subject']),
      paragraphs: [
        this.language.say(Word['mail.invitation.invites'], { org: plainName(orgName), role }),
        this.language.say(Word['mail.invitation.from'], { person: plainName(inviter) }),
      ],
      action: {
        label: this.language.say(Word['mail.action.accept']),
        link: this.links.acceptInvitation(token),
      },
      footnote: this.language.say(Word['mail.invitation.footnote'], { until: expiresAt }),
    });
  }

  /** Masks the address of the account: a person who only reads the mail of the new address must not learn it. */
  emailChange({ token, sentTo, expiresAt }: IssuedToken, presentAddress: string, code?: CodeToMail): Mail {
    const account = plainName(masked(presentAddress));
    return this.write({
      kind: 'email-change',
      to: sentTo,
      expiresAt,
      subject: this.language.say(Word['mail.emailChange.subject']),
      paragraphs: [this.language.say(Word['mail.emailChange.asked'], { account })],
      action: {
        label: this.language.say(Word['mail.action.confirmAddress']),
        link: this.links.confirmEmail(token),
      },
      ...this.withCode(code),
      footnote: this.language.say(Word['mail.emailChange.footnote'], { until: expiresAt }),
    });
  }

  /** For the address that a user wanted to change to, when it has an account. */
  addressTaken(to: string): Mail {
    return this.write({
      kind: 'address-taken',
      to,
      subject: this.language.say(Word['mail.addressTaken.subject']),
      paragraphs: [this.language.say(Word['mail.addressTaken.nothingChanged'])],
      action: this.logIn(),
      aside: { ...this.setNewPassword(), label: this.language.say(Word['mail.addressTaken.setNewPassword']) },
    });
  }

  /** For an address that a person wanted to use, while its former account can be brought back to it. */
  addressHeld(to: string): Mail {
    return this.write({
      kind: 'address-held',
      to,
      subject: this.language.say(Word['mail.addressHeld.subject']),
      paragraphs: [
        this.language.say(Word['mail.addressHeld.nothingChanged']),
        this.language.say(Word['mail.addressHeld.tryAgain']),
      ],
    });
  }

  /** For the address that the account still has. */
  emailChangeAsked(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'email-change-asked',
      subject: this.language.say(Word['mail.emailChangeAsked.subject']),
      paragraphs: [
        this.language.say(Word['mail.emailChangeAsked.asked']),
        this.language.say(Word['mail.emailChangeAsked.notYou']),
      ],
    });
  }

  /** For the address that the account still has. Its owner may know nothing of what the admin was told. */
  emailChangeByAdmin(issued: IssuedToken, newEmail: string): Mail {
    return this.notice(issued, {
      kind: 'email-change-by-admin',
      subject: this.language.say(Word['mail.emailChangeByAdmin.subject']),
      paragraphs: [
        this.language.say(Word['mail.emailChangeByAdmin.asked'], { email: plainName(newEmail) }),
        this.language.say(Word['mail.emailChangeByAdmin.wanted']),
        this.language.say(Word['mail.emailChangeByAdmin.notYou']),
      ],
    });
  }

  /** For the address that an account had, which its owner never confirmed. It may be a stranger's. */
  addressCorrected(to: string): Mail {
    return this.write({
      kind: 'address-corrected',
      to,
      subject: this.language.say(Word['mail.addressCorrected.subject']),
      paragraphs: [
        this.language.say(Word['mail.addressCorrected.corrected']),
        this.language.say(Word['mail.addressCorrected.ask']),
      ],
    });
  }

  /** For the address that the account had. */
  emailChanged(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'email-changed',
      subject: this.language.say(Word['mail.emailChanged.subject']),
      paragraphs: [
        this.language.say(Word['mail.emailChanged.changed']),
        this.language.say(Word['mail.emailChanged.notYou']),
      ],
    });
  }

  /** For the address that an account has left to go back to an earlier one. */
  emailChangeUndone(to: string): Mail {
    return this.write({
      kind: 'email-change-undone',
      to,
      subject: this.language.say(Word['mail.emailChangeUndone.subject']),
      paragraphs: [
        this.language.say(Word['mail.emailChangeUndone.undone']),
        this.language.say(Word['mail.emailChangeUndone.byEarlier']),
      ],
    });
  }

  /** For every address that an account had lately. */
  accountDeleted(to: string): Mail {
    return this.write({
      kind: 'account-deleted',
      to,
      subject: this.language.say(Word['mail.accountDeleted.subject']),
      paragraphs: [
        this.language.say(Word['mail.accountDeleted.deleted']),
        this.language.say(Word['mail.accountDeleted.notYou']),
      ],
    });
  }

  /** For every address that the account had lately. */
  accountDeletedByAdmin(to: string): Mail {
    return this.write({
      kind: 'account-deleted-by-admin',
      to,
      subject: this.language.say(Word['mail.accountDeletedByAdmin.subject']),
      paragraphs: [
        this.language.say(Word['mail.accountDeletedByAdmin.deleted']),
        this.language.say(Word['mail.accountDeletedByAdmin.askThem']),
      ],
    });
  }

  /** For the owner. The admin has no name here: to the owner, the service acts. */
  actedForYou(issued: IssuedToken, { reason, mayWrite, startedAt, expiresAt }: ActingToMail): Mail {
    const times = { at: startedAt, until: expiresAt };
    return this.notice(issued, {
      kind: 'acted-for-you',
      subject: this.language.say(Word['mail.actedForYou.subject']),
      paragraphs: [
        mayWrite
          ? this.language.say(Word['mail.actedForYou.write'], times)
          : this.language.say(Word['mail.actedForYou.look'], times),
        this.language.say(Word['mail.actedForYou.why'], {
          grounds: plainName(reason, MAX_REASON_CODE_POINTS),
        }),
        this.language.say(Word['mail.actedForYou.notExpected']),
      ],
    });
  }

  identityUnlinked(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'identity-unlinked',
      subject: this.language.say(Word['mail.identityUnlinked.subject']),
      paragraphs: [
        this.language.say(Word['mail.identityUnlinked.unlinked']),
        this.language.say(Word['mail.notYou']),
      ],
    });
  }

  memberJoined(issued: IssuedToken, orgName: string, role: Role): Mail {
    return this.notice(issued, {
      kind: 'member-joined',
      // Without the name, as for an invitation.
      subject: this.language.say(Word['mail.memberJoined.subject']),
      paragraphs: [
        this.language.say(Word['mail.memberJoined.joined'], { org: plainName(orgName), role }),
        this.language.say(Word['mail.memberJoined.notYou']),
      ],
    });
  }

  orgFounded(issued: IssuedToken, orgName: string): Mail {
    return this.notice(issued, {
      kind: 'org-founded',
      // Without the name, as for an invitation.
      subject: this.language.say(Word['mail.orgFounded.subject']),
      paragraphs: [
        this.language.say(Word['mail.orgFounded.founded'], { org: plainName(orgName) }),
        this.language.say(Word['mail.orgFounded.notYou']),
      ],
    });
  }

  /** For the admin who changed what an organization asks for. */
  ownPolicyChange(issued: IssuedToken, orgName: string, rules: readonly OrgRule[]): Mail {
    return this.notice(issued, {
      kind: 'policy-changed',
      subject: this.language.say(Word['mail.policyChanged.subject']),
      paragraphs: [
        this.language.say(Word['mail.policyChanged.own'], { org: plainName(orgName) }),
        ...this.rulesIn(rules),
        this.language.say(Word['mail.policyChanged.notYou']),
      ],
    });
  }

  /** For a person who can pay. What is owed stands on Stripe's page, where that person is logged in. */
  paymentFailed(to: string, { orgId, orgName, since, until }: MissingPayment): Mail {
    return this.write({
      kind: 'payment-failed',
      to,
      subject: this.language.say(Word['mail.paymentFailed.subject']),
      paragraphs: [
        orgName === null
          ? this.language.say(Word['mail.paymentFailed.own'], { at: since })
          : this.language.say(Word['mail.paymentFailed.org'], { org: plainName(orgName), at: since }),
        until.getTime() > Date.now()
          ? this.language.say(Word['mail.paymentFailed.until'], { until })
          : this.language.say(Word['mail.paymentFailed.over']),
      ],
      action: {
        label: this.language.say(Word['mail.action.pay']),
        link: this.links.billing(orgId),
      },
    });
  }

  /** For the other admins. */
  policyChanged(to: string, email: string, orgName: string, rules: readonly OrgRule[]): Mail {
    return this.write({
      kind: 'policy-changed',
      to,
      subject: this.language.say(Word['mail.policyChanged.subject']),
      paragraphs: [
        this.language.say(Word['mail.policyChanged.changed'], {
          email: plainName(email),
          org: plainName(orgName),
        }),
        ...this.rulesIn(rules),
        this.language.say(Word['mail.policyChanged.ask'], { email: plainName(email) }),
        this.language.say(Word['mail.policyChanged.shutOut']),
      ],
    });
  }

  /** For all of them, where an operator took the rules away. */
  policyCleared(to: string, orgName: string): Mail {
    return this.write({
      kind: 'policy-changed',
      to,
      subject: this.language.say(Word['mail.policyChanged.subject']),
      paragraphs: [
        this.language.say(Word['mail.policyChanged.cleared'], { org: plainName(orgName) }),
        this.language.say(Word['mail.policyChanged.setAgain']),
      ],
    });
  }

  memberLeft(issued: IssuedToken, orgName: string): Mail {
    return this.notice(issued, {
      kind: 'member-left',
      subject: this.language.say(Word['mail.memberLeft.subject']),
      paragraphs: [
        this.language.say(Word['mail.memberLeft.left'], { org: plainName(orgName) }),
        this.language.say(Word['mail.memberLeft.notYou']),
      ],
    });
  }

  /** For a user whom an admin took out of an organization. */
  memberRemoved(to: string, orgName: string): Mail {
    return this.write({
      kind: 'member-removed',
      to,
      subject: this.language.say(Word['mail.memberRemoved.subject']),
      paragraphs: [
        this.language.say(Word['mail.memberRemoved.removed'], { org: plainName(orgName) }),
        this.language.say(Word['mail.memberRemoved.ask']),
      ],
    });
  }

  /** For a user whom an admin keeps out of an organization. */
  memberSuspended(to: string, orgName: string): Mail {
    return this.write({
      kind: 'member-suspended',
      to,
      subject: this.language.say(Word['mail.memberSuspended.subject']),
      paragraphs: [
        this.language.say(Word['mail.memberSuspended.suspended'], { org: plainName(orgName) }),
        this.language.say(Word['mail.memberRemoved.ask']),
      ],
    });
  }

  /** For a user whom an admin lets into an organization again. */
  memberResumed(to: string, orgName: string): Mail {
    return this.write({
      kind: 'member-resumed',
      to,
      subject: this.language.say(Word['mail.memberResumed.subject']),
      paragraphs: [
        this.language.say(Word['mail.memberResumed.resumed'], { org: plainName(orgName) }),
        this.language.say(Word['mail.memberRemoved.ask']),
      ],
    });
  }

  /** For a user whose role an admin lowered: in an organization, or in the service. */
  roleLowered(to: string, role: Role, orgName: string | null): Mail {
    return this.write({
      kind: 'role-lowered',
      to,
      subject: this.language.say(Word['mail.roleLowered.subject']),
      paragraphs: [
        orgName === null
          ? this.language.say(Word['mail.roleLowered.inService'], { role })
          : this.language.say(Word['mail.roleLowered.inOrg'], { org: plainName(orgName), role }),
        this.language.say(Word['mail.roleLowered.ask']),
      ],
    });
  }

  /** For a user whose role has risen to that of an admin: of an organization, or of the service. */
  roleRaised(to: string, orgName: string | null): Mail {
    return this.write({
      kind: 'role-raised',
      to,
      subject: this.language.say(Word['mail.roleRaised.subject']),
      paragraphs: [
        orgName === null
          ? this.language.say(Word['mail.roleRaised.inService'])
          : this.language.say(Word['mail.roleRaised.inOrg'], { org: plainName(orgName) }),
        this.language.say(Word['mail.roleRaised.tell']),
      ],
    });
  }

  /** For the other admins. */
  adminAdded(to: string, email: string, orgName: string | null): Mail {
    return this.write({
      kind: 'admin-added',
      to,
      subject: this.language.say(Word['mail.adminAdded.subject']),
      paragraphs: [
        orgName === null
          ? this.language.say(Word['mail.adminAdded.inService'], { email: plainName(email) })
          : this.language.say(Word['mail.adminAdded.inOrg'], {
              email: plainName(email),
              org: plainName(orgName),
            }),
        this.language.say(Word['mail.adminAdded.takeAway']),
      ],
    });
  }

  /** For the other admins, when an intruder may have been in the account of one. */
  adminSecured(to: string, email: string, grants: Grant[]): Mail {
    return this.write({
      kind: 'admin-secured',
      to,
      subject: this.language.say(Word['mail.adminSecured.subject']),
      paragraphs: [
        this.language.say(Word['mail.adminSecured.secured'], { email: plainName(email) }),
        grants.length === 0
          ? this.language.say(Word['mail.adminSecured.noRoles'])
          : this.language.say(Word['mail.adminSecured.roles']),
        ...this.listOf(grants.map((grant) => this.inPlainWords(grant))),
      ],
    });
  }

  /** For a user whose role an admin's account changed, when an intruder may have been in it. */
  roleChangedBySecured(to: string, email: string, grants: Grant[]): Mail {
    return this.write({
      kind: 'role-changed-by-secured',
      to,
      subject: this.language.say(Word['mail.roleChangedBySecured.subject']),
      paragraphs: [
        this.language.say(Word['mail.roleChangedBySecured.secured'], { email: plainName(email) }),
        ...this.listOf(grants.map((grant) => this.inPlainWords(grant))),
        this.language.say(Word['mail.roleChangedBySecured.ask']),
      ],
    });
  }

  /** For the owner, beside the mail with the link to set a new password. */
  accountSecured(to: string, { acts, grants, memberships, hasLostFactors }: SecuredAccount): Mail {
    const done = [
      ...this.listOf(acts.map((act) => this.actInPlainWords(act))),
      ...this.listOf(grants.map((grant) => this.inPlainWords(grant))),
    ];
    return this.write({
      kind: 'account-secured',
      to,
      subject: this.language.say(Word['mail.accountSecured.subject']),
      paragraphs: [
        this.language.say(Word['mail.accountSecured.secured']),
        ...(hasLostFactors ? [this.language.say(Word['mail.accountSecured.lostFactors'])] : []),
        ...memberships.map((outcome) => this.language.say(MEMBERSHIPS[outcome])),
        done.length === 0
          ? this.language.say(Word['mail.accountSecured.nothing'])
          : this.language.say(Word['mail.accountSecured.acts']),
        ...done,
      ],
    });
  }

  newLogin(issued: IssuedToken, login: NewLogin): Mail {
    return this.notice(issued, {
      kind: 'new-login',
      subject: this.language.say(Word['mail.newLogin.subject']),
      paragraphs: [
        login.ip === null
          ? this.language.say(Word['mail.newLogin.fromUnknown'], this.seen(login))
          : this.language.say(Word['mail.newLogin.from'], { ...this.seen(login), ip: login.ip }),
        this.language.say(Word['mail.newLogin.notYou']),
      ],
    });
  }

  /** For the logins of an hour, newest first. */
  newLogins(issued: IssuedToken, logins: NewLogin[]): Mail {
    return this.notice(issued, {
      kind: 'new-logins',
      subject: this.language.say(Word['mail.newLogins.subject']),
      paragraphs: [
        this.language.say(Word['mail.newLogins.followed']),
        ...logins.map((login) =>
          login.ip === null
            ? this.language.say(Word['mail.newLogins.fromUnknown'], this.seen(login))
            : this.language.say(Word['mail.newLogins.from'], { ...this.seen(login), ip: login.ip }),
        ),
        this.language.say(Word['mail.newLogins.notYou']),
      ],
    });
  }

  pendingLogin(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'login-pending',
      subject: this.language.say(Word['mail.loginPending.subject']),
      paragraphs: [
        this.language.say(Word['mail.loginPending.waits']),
        this.language.say(Word['mail.loginPending.notYou']),
      ],
    });
  }

  /** What `mail test` sends: written as the others are, so that it meets the same filters. */
  test(to: string): Mail {
    return this.write({
      kind: 'test',
      to,
      subject: this.language.say(Word['mail.test.subject']),
      paragraphs: [this.language.say(Word['mail.test.sent']), this.language.say(Word['mail.test.nothing'])],
    });
  }

  /** The first sentences of a list, and how many more there are. */
  private listOf(sentences: string[]): string[] {
    const count = sentences.length - MAX_LISTED;
    const rest = count > 0 ? [this.language.say(Word['mail.list.rest'], { count })] : [];
    return [...sentences.slice(0, MAX_LISTED), ...rest];
  }

  /** The rules for access that changed, as the console calls them. */
  private rulesIn(rules: readonly OrgRule[]): string[] {
    const named = rules.map((rule) => this.language.say(Word['mail.policyChanged.rule'], { rule }));
    return [this.language.say(Word['mail.policyChanged.rules']), ...named];
  }

  /** Who made an account, and where. */
  private made(admin: string | null, orgName: string | null): string {
    if (admin === null)
      return orgName === null
        ? this.language.say(Word['mail.accountMade.bySomebody'])
        : this.language.say(Word['mail.accountMade.bySomebodyIn'], { org: plainName(orgName) });
    const person = plainName(admin);
    return orgName === null
      ? this.language.say(Word['mail.accountMade.by'], { person })
      : this.language.say(Word['mail.accountMade.byIn'], { person, org: plainName(orgName) });
  }

  private actInPlainWords({ type, orgName, isOwn, secondFactorRequired }: OrgAct): string {
    if (type === 'org.deleted') return this.language.say(Word['mail.act.ended']);
    const act = ACTS[type === 'member.removed' && !isOwn ? 'member.takenOut' : type];
    const [known, gone] =
      type === 'org.policy_changed' && secondFactorRequired !== null ? RULES[`${secondFactorRequired}`] : act;
    return orgName === null ? this.language.say(gone) : this.language.say(known, { org: plainName(orgName) });
  }

  private inPlainWords({ email, role, isSuspended }: Grant): string {
    if (isSuspended)
      return email === null
        ? this.language.say(Word['mail.grant.suspendedGone'])
        : this.language.say(Word['mail.grant.suspended'], { email: plainName(email) });
    if (role === null)
      return email === null
        ? this.language.say(Word['mail.grant.takenOutGone'])
        : this.language.say(Word['mail.grant.takenOut'], { email: plainName(email) });
    return email === null
      ? this.language.say(Word['mail.grant.becameGone'], { role })
      : this.language.say(Word['mail.grant.became'], { email: plainName(email), role });
  }

  /** The subject never has a code: it is stored in clear, and a phone shows it while it is locked. */
  private withCode(mailed: CodeToMail | undefined): Pick<Message, 'code'> {
    if (!mailed) return {};
    return {
      code: {
        label: this.language.say(Word['mail.code.enter'], { until: mailed.expiresAt }),
        code: mailed.code,
        warning: this.language.say(Word['mail.code.warning']),
      },
    };
  }

  private logIn(): Action {
    return { label: this.language.say(Word['mail.action.logIn']), link: this.links.login() };
  }

  private setNewPassword(): Action {
    return {
      label: this.language.say(Word['mail.action.setNewPassword']),
      link: this.links.forgotPassword(),
    };
  }

  /** A mail to the owner of an account about what happened to it, with a link that undoes it. */
  private notice({ token, sentTo, expiresAt }: IssuedToken, notice: Notice): Mail {
    const action = {
      label: this.language.say(Word['mail.action.notMe']),
      link: this.links.secureAccount(token),
      isQuiet: true,
    };
    return this.write({
      ...notice,
      to: sentTo,
      expiresAt,
      action,
      footnote: this.language.say(Word['mail.worksOnce'], { until: expiresAt }),
    });
  }

  /** The program and the time of a login. */
  private seen({ userAgent, createdAt }: NewLogin): { device: string; at: Date } {
    return { device: deviceInWords(userAgent, this.language), at: createdAt };
  }

  private write(written: AddressedMessage): Mail {
    const { kind, to, expiresAt } = written;
    const subject = this.isTest
      ? this.language.say(Word['mail.test.marked'], { title: written.subject })
      : written.subject;
    const message = { ...written, subject };
    const { supportEmail, productColor: color, footerLinks } = this.environment;
    const sender = {
      color,
      name: this.product,
      copyLink: this.language.say(Word['mail.copyLink']),
      contact: supportEmail ? this.language.say(Word['mail.contact']) : null,
      links: linksIn(this.language.tag, {
        ...this.environment,
        footerLinks: footerLinks.filter(({ mails }) => mails),
      }),
      language: this.language,
    };
    const { frame } = this;
    const [text, html] = frame
      ? [frame.asText(message, sender), frame.asHtml(message, sender)]
      : [asText(message, sender), asHtml(message, sender)];
    const { tag: language } = this.language;
    return { kind, to, language, subject, text, html, ...(expiresAt && { expiresAt }) };
  }
}

/** An address as only its owner recognises it: `a…@example.com`. */
function masked(address: string): string {
  const [first = ''] = address;
  return `${first}…${address.slice(address.lastIndexOf('@'))}`;
}
