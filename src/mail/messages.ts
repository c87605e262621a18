import { Injectable } from '@nestjs/common';
import type { IssuedToken } from '../accounts/one-time-tokens.repository.js';
import { Environment } from '../config/environment.js';
import { deviceName } from '../http/device-name.js';
import { Role } from '../http/role.js';
import { type Action, asHtml, asText, type Message } from './layout.js';
import { Links } from './links.js';
import type { Mail } from './mailer.js';
import { plainName } from './plain-name.js';

/** A message to one address. */
type AddressedMessage = Pick<Mail, 'kind' | 'to' | 'expiresAt'> & Message;

/** What a mail reports to the owner of an account. */
type Notice = Pick<AddressedMessage, 'kind' | 'subject' | 'paragraphs'>;

/** What the mail of an invitation says. */
export interface InvitationToMail {
  to: string;
  orgName: string;
  token: string;
  expiresAt: Date;
}

/** Something that an admin did to the standing of another user. */
export interface Grant {
  /** Null when the account is gone. */
  email: string | null;
  /** Null when they were taken out of the organization. */
  role: Role | null;
}

/** Something that a user did with an organization. */
export interface OrgAct {
  type: 'member.joined' | 'member.removed' | 'org.created' | 'org.updated' | 'org.deleted';
  /** Null when the organization is gone. */
  orgName: string | null;
  /** Whether the user did it. */
  isOwn: boolean;
  /** Null where the rule stays as it was. */
  secondFactorRequired: boolean | null;
}

/** What the owner of a secured account has to know of its last days. */
export interface SecuredAccount {
  acts: OrgAct[];
  grants: Grant[];
  /** Whether its recent membership of an organization ended. Null when it has none. */
  membership: 'ended' | 'kept' | null;
  /** Whether it had an authenticator app or passkeys so recent that they were removed. */
  hasLostFactors: boolean;
}

/** A login to an account, as its session knows it. */
export interface NewLogin {
  userAgent: string | null;
  ip: string | null;
  createdAt: Date;
}

const NOT_YOU =
  'If that was not you, use the link below. It logs out every browser, and the password stops working until you set a new one.';

const ROLES: Record<Role, string> = {
  [Role.READONLY]: 'a member who only reads',
  [Role.MEMBER]: 'a member',
  [Role.ORG_ADMIN]: 'an administrator of the organization',
  [Role.SYSTEM_ADMIN]: 'an administrator of the service',
};

const MEMBERSHIPS: Record<'ended' | 'kept', string> = {
  ended:
    'The account also left its organization, because it had joined that less than three days ago. If you joined it, ask for another invitation.',
  kept: 'The account stays in its organization, although it joined that less than three days ago: it is its first administrator or its only member, or all other administrators were appointed by this account. Check who administers it. If you do not know it, leave it.',
};

const LOST_FACTORS =
  'The authenticator app or the passkeys that were added in the last three days are removed. If they were yours, add them again once you have logged in: until then a login may take no second step.';

/** How many acts a mail lists one by one. */
const MAX_LISTED = 20;

/** The words of every mail. A name that a person chose comes into them as a `plainName`. */
@Injectable()
export class Messages {
  private readonly product: string;

  constructor(
    private readonly environment: Environment,
    private readonly links: Links,
  ) {
    this.product = plainName(environment.productName);
  }

  verification({ token, sentTo, expiresAt }: Pick<IssuedToken, 'token' | 'sentTo' | 'expiresAt'>): Mail {
    return this.write({
      kind: 'verification',
      to: sentTo,
      expiresAt,
      subject: 'Confirm your email address',
      paragraphs: [
        `Confirm that this is your email address. Then you have an account at ${this.product} and are logged in.`,
      ],
      action: { label: 'Confirm this address', link: this.links.verifyEmail(token) },
      aside: { label: 'I did not sign up', link: this.links.secureAccount(token) },
      footnote: `${worksOnce(expiresAt)} If you do nothing, no account is made.`,
    });
  }

  alreadyRegistered(to: string): Mail {
    return this.write({
      kind: 'already-registered',
      to,
      subject: 'You already have an account',
      paragraphs: [
        `Somebody, probably you, tried to sign up for ${this.product} with this address, but it already has an account. Nothing was changed.`,
      ],
      action: this.logIn(),
      aside: {
        ...this.setNewPassword(),
        label: 'Set a new password, if you forgot yours',
      },
    });
  }

  passwordReset({ token, sentTo, expiresAt }: IssuedToken): Mail {
    return this.write({
      kind: 'password-reset',
      to: sentTo,
      expiresAt,
      subject: 'Set a new password',
      paragraphs: [`Somebody, probably you, asked for a new password for your ${this.product} account.`],
      action: { label: 'Set a new password', link: this.links.resetPassword(token) },
      footnote: `${worksOnce(expiresAt)} If you did not ask for it, ignore this mail: your password stays as it is.`,
    });
  }

  passwordChanged(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'password-changed',
      subject: 'Your password was changed',
      paragraphs: [
        `The password of your ${this.product} account was just changed, and everybody logged in with the old one was logged out.`,
        NOT_YOU,
      ],
    });
  }

  passwordRemoved(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'password-removed',
      subject: 'Your account no longer has a password',
      paragraphs: [
        `The password of your ${this.product} account was just removed. From now on you log in with a passkey, or through an identity provider.`,
        NOT_YOU,
      ],
    });
  }

  adminAppointed({ token, sentTo, expiresAt }: IssuedToken): Mail {
    return this.write({
      kind: 'admin-appointed',
      to: sentTo,
      expiresAt,
      subject: `You are an administrator of ${this.product}`,
      paragraphs: [`You were made an administrator of ${this.product}. Set your password to begin.`],
      action: { label: 'Set your password', link: this.links.adminPassword(token) },
      footnote: worksOnce(expiresAt),
    });
  }

  /** For a person to whom an admin gives an account. Nobody can log in to it before the link is used. */
  accountMade({ token, sentTo, expiresAt }: IssuedToken, admin: string | null, orgName: string | null): Mail {
    const who = admin === null ? 'An administrator' : plainName(admin);
    const where = orgName === null ? '' : `, in the organization “${plainName(orgName)}”`;
    return this.write({
      kind: 'account-made',
      to: sentTo,
      expiresAt,
      subject: `You have an account at ${this.product}`,
      paragraphs: [`${who} made you an account at ${this.product}${where}. Choose a password to begin.`],
      action: { label: 'Choose a password', link: this.links.resetPassword(token) },
      footnote: `${worksOnce(expiresAt)} After that, ask for another one on the login page. If you did not expect this mail, ignore it: nobody can log in to the account without this link.`,
    });
  }

  identityLinked(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'identity-linked',
      subject: 'A new way to log in to your account',
      paragraphs: [
        `You can now also log in to your ${this.product} account through the identity provider that confirmed this address.`,
        NOT_YOU,
      ],
    });
  }

  passkeyAdded(issued: IssuedToken, name: string): Mail {
    return this.notice(issued, {
      kind: 'passkey-added',
      subject: 'A new passkey for your account',
      paragraphs: [
        `The passkey “${plainName(name)}” was added to your ${this.product} account. It logs in without a password.`,
        `${NOT_YOU} It also removes the passkey.`,
      ],
    });
  }

  passkeyRemoved(issued: IssuedToken, name: string): Mail {
    return this.notice(issued, {
      kind: 'passkey-removed',
      subject: 'A passkey was removed from your account',
      paragraphs: [`The passkey “${plainName(name)}” no longer opens your ${this.product} account.`, NOT_YOU],
    });
  }

  secondStepOn(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'second-step-on',
      subject: 'Your login has a second step now',
      paragraphs: [
        `An authenticator app was added to your ${this.product} account. From now on a login also asks for a code that the app shows, or for a passkey if you have one. If you ever lose the app, a recovery code takes its place: keep yours where you find them without your phone.`,
        `${NOT_YOU} It also removes the app.`,
      ],
    });
  }

  secondStepOff(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'second-step-off',
      subject: 'Your authenticator app was removed',
      paragraphs: [
        `The authenticator app of your ${this.product} account was removed. Logins no longer ask for its codes or take them.`,
        NOT_YOU,
      ],
    });
  }

  factorsReset(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'factors-reset',
      subject: 'An administrator reset your second factors',
      paragraphs: [
        `An administrator removed the authenticator app, the passkeys and the recovery codes of your ${this.product} account, and logged out every browser. That is done for a person who has lost them.`,
        'If you asked for it, log in again, and add an authenticator app or a passkey. If you only ever logged in with a passkey, ask for a password on the login page first.',
        'If you did not, another person may have asked in your name. Use the link below: the password stops working until you set a new one.',
      ],
    });
  }

  recoveryCodeUsed(issued: IssuedToken, left: number): Mail {
    return this.notice(issued, {
      kind: 'recovery-code-used',
      subject: 'A recovery code was used',
      paragraphs: [
        `A recovery code of your ${this.product} account was just used. It no longer works. ${codesLeft(left)}`,
        NOT_YOU,
      ],
    });
  }

  recoveryCodesMade(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'recovery-codes-made',
      subject: 'You have new recovery codes',
      paragraphs: [
        `Ten new recovery codes were made for your ${this.product} account. The old ones no longer work.`,
        `${NOT_YOU} It also removes the new codes.`,
      ],
    });
  }

  passwordKnown(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'password-known',
      subject: 'Wrong codes for your account',
      paragraphs: [
        `A person entered wrong codes of the authenticator app, or wrong recovery codes, for your ${this.product} account, until we stopped taking them for a while. To get that far, the person must know your password, control your account at an identity provider that you log in through, or use a browser that is logged in.`,
        'If that was you, there is nothing to do but wait. If it was not, use the link below. It logs out every browser, and the password stops working until you set a new one. It also removes an authenticator app and passkeys that were added in the last three days: another person may have added them. If you log in through an identity provider, also change your password there.',
      ],
    });
  }

  proofsWrong(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'proofs-wrong',
      subject: 'Wrong passwords in your account',
      paragraphs: [
        `A person who uses a browser that is logged in to your ${this.product} account entered a wrong password, code or passkey, until we stopped taking them for a while.`,
        `If that was you, wait, or log in again. ${NOT_YOU}`,
      ],
    });
  }

  /** Holds no link that changes anything: a stranger causes this mail, and has not got in. */
  loginLimited(to: string): Mail {
    return this.write({
      kind: 'login-limited',
      to,
      subject: 'Too many attempts to log in to your account',
      paragraphs: [
        `There were so many attempts to log in to your ${this.product} account with a password that we take no further ones for a while. A browser that you have logged in with before can still try.`,
        'If that was you, wait a little, or set a new password. If it was not, a person may be guessing: use a password that you use nowhere else, and add a passkey or an authenticator app.',
      ],
      action: this.setNewPassword(),
    });
  }

  invitation({ to, orgName, token, expiresAt }: InvitationToMail): Mail {
    const org = plainName(orgName);
    return this.write({
      kind: 'invitation',
      to,
      expiresAt,
      // Without the name of the organization: readers take a subject for ours, and any user may call theirs "Your
      // account is locked".
      subject: `You are invited to ${this.product}`,
      paragraphs: [`You are invited to join “${org}” at ${this.product}.`],
      action: { label: 'Accept the invitation', link: this.links.acceptInvitation(token) },
      footnote: `${worksOnce(expiresAt)} If you did not expect it, ignore this mail: nothing happens unless you accept.`,
    });
  }

  /** Masks the address of the account: a person who only reads the mail of the new address must not learn it. */
  emailChange({ token, sentTo, expiresAt }: IssuedToken, presentAddress: string): Mail {
    const account = plainName(masked(presentAddress));
    return this.write({
      kind: 'email-change',
      to: sentTo,
      expiresAt,
      subject: 'Confirm your new email address',
      paragraphs: [
        `Somebody asked to use this email address for the ${this.product} account of ${account}. If that is your account, confirm: you log in to it first.`,
      ],
      action: { label: 'Confirm this address', link: this.links.confirmEmail(token) },
      footnote: `${worksOnce(expiresAt)} If that is not your account, ignore this mail: nothing changes unless somebody logged in to that account opens the link.`,
    });
  }

  /** For the address that a user wanted to change to, when it has an account. */
  addressTaken(to: string): Mail {
    return this.write({
      kind: 'address-taken',
      to,
      subject: 'You already have an account',
      paragraphs: [
        `Somebody, probably you, asked to use this address for another ${this.product} account, but it already has one. Nothing was changed.`,
      ],
      action: this.logIn(),
      aside: { ...this.setNewPassword(), label: 'Set a new password, if you forgot the one of this account' },
    });
  }

  /** For an address that a person wanted to use, while its former account can be brought back to it. */
  addressHeld(to: string): Mail {
    return this.write({
      kind: 'address-held',
      to,
      subject: 'This address cannot be used yet',
      paragraphs: [
        `Somebody, probably you, tried to use this address for a ${this.product} account. The account that had it got another address less than three days ago, and can be brought back until then. Nothing was changed.`,
        'Try again once the three days are over. If you did not give the account another address, use the link in the mail “Your email address was changed”: it brings the account back.',
      ],
    });
  }

  /** For the address that the account still has. */
  emailChangeAsked(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'email-change-asked',
      subject: 'Your email address is about to change',
      paragraphs: [
        `A person who is logged in to your ${this.product} account asked to change its email address. That was probably you.`,
        `${NOT_YOU} It also stops the change.`,
      ],
    });
  }

  /** For the address that the account still has. Its owner may know nothing of what the admin was told. */
  emailChangeByAdmin(issued: IssuedToken, newEmail: string): Mail {
    return this.notice(issued, {
      kind: 'email-change-by-admin',
      subject: 'An administrator wants to change your email address',
      paragraphs: [
        `An administrator of ${this.product} asked to change the email address of your account to ${plainName(newEmail)}. Nothing changes until a person who is logged in to your account opens the link that we mailed there.`,
        'If you asked for it, open that link.',
        'If you did not, another person may have asked in your name. Use the link below: it stops the change, logs out every browser, and the password stops working until you set a new one. Then ask the administrator.',
      ],
    });
  }

  /** For the address that an account had, which its owner never confirmed. It may be a stranger's. */
  addressCorrected(to: string): Mail {
    return this.write({
      kind: 'address-corrected',
      to,
      subject: 'The account that was made for you has another address',
      paragraphs: [
        `An administrator of ${this.product} corrected the email address of an account that was made with yours. The links in earlier mails no longer work.`,
        'If you do not know of an account, there is nothing to do. If it was to be yours, ask the administrator.',
      ],
    });
  }

  /** For the address that the account had. */
  emailChanged(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'email-changed',
      subject: 'Your email address was changed',
      paragraphs: [
        `The ${this.product} account that had this email address now has another one. You can no longer log in with this one.`,
        `${NOT_YOU} For three days it also brings this address back.`,
      ],
    });
  }

  /** For the address that an account has left to go back to an earlier one. */
  emailChangeUndone(to: string): Mail {
    return this.write({
      kind: 'email-change-undone',
      to,
      subject: 'Your email address was changed back',
      paragraphs: [
        `The ${this.product} account that had this email address has an earlier one again. You can no longer log in to it.`,
        'For three days after a change, the owner of the earlier address can undo it, and has just done so.',
      ],
    });
  }

  /** For every address that an account had lately. */
  accountDeleted(to: string): Mail {
    return this.write({
      kind: 'account-deleted',
      to,
      subject: 'Your account was deleted',
      paragraphs: [
        `The ${this.product} account that had this email address was just deleted. It cannot be brought back.`,
        'If that was not you, somebody else was logged in to it. Change your password wherever you used the same one.',
      ],
    });
  }

  /** For every address that the account had lately. */
  accountDeletedByAdmin(to: string): Mail {
    return this.write({
      kind: 'account-deleted-by-admin',
      to,
      subject: 'An administrator deleted your account',
      paragraphs: [
        `An administrator of ${this.product} deleted the account that had this email address. It cannot be brought back.`,
        'If you did not ask for that, and do not know the reason, ask them.',
      ],
    });
  }

  identityUnlinked(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'identity-unlinked',
      subject: 'A way to log in to your account is gone',
      paragraphs: [
        `A login through the identity provider was taken off your ${this.product} account. It no longer opens the account.`,
        NOT_YOU,
      ],
    });
  }

  memberJoined(issued: IssuedToken, orgName: string, role: Role): Mail {
    return this.notice(issued, {
      kind: 'member-joined',
      // Without the name, as for an invitation.
      subject: 'Your account joined an organization',
      paragraphs: [
        `Your ${this.product} account now belongs to the organization “${plainName(orgName)}”, as ${ROLES[role]}. Its administrators can see your name, your address and your logins.`,
        `${NOT_YOU} For three days it also takes the account out of the organization.`,
      ],
    });
  }

  orgFounded(issued: IssuedToken, orgName: string): Mail {
    return this.notice(issued, {
      kind: 'org-founded',
      // Without the name, as for an invitation.
      subject: 'Your account founded an organization',
      paragraphs: [
        `Your ${this.product} account founded the organization “${plainName(orgName)}”, and belongs to it as ${ROLES[Role.ORG_ADMIN]}.`,
        `${NOT_YOU} The organization remains: you end it when you leave it as its only member.`,
      ],
    });
  }

  memberLeft(issued: IssuedToken, orgName: string): Mail {
    return this.notice(issued, {
      kind: 'member-left',
      subject: 'Your account left an organization',
      paragraphs: [
        `Your ${this.product} account left the organization “${plainName(orgName)}”. You still have the account. An organization ends when its only member leaves.`,
        `${NOT_YOU} It does not bring the account back into the organization: ask an administrator there for another invitation.`,
      ],
    });
  }

  /** For a user whom an admin took out of an organization. */
  memberRemoved(to: string, orgName: string): Mail {
    return this.write({
      kind: 'member-removed',
      to,
      subject: 'You no longer belong to an organization',
      paragraphs: [
        `An administrator took your ${this.product} account out of the organization “${plainName(orgName)}”. You still have the account.`,
        'If you do not know the reason, ask the people who run the organization.',
      ],
    });
  }

  /** For a user whose role an admin lowered: in an organization, or in the service. */
  roleLowered(to: string, role: Role, orgName: string | null): Mail {
    return this.write({
      kind: 'role-lowered',
      to,
      subject: 'Your role was lowered',
      paragraphs: [
        `An administrator lowered your role in ${this.domain(orgName)}. You are now ${ROLES[role]}.`,
        'If you do not know the reason, ask the administrators.',
      ],
    });
  }

  /** For a user whose role has risen to that of an admin: of an organization, or of the service. */
  roleRaised(to: string, orgName: string | null): Mail {
    return this.write({
      kind: 'role-raised',
      to,
      subject: 'You are an administrator now',
      paragraphs: [
        `You were made an administrator of ${this.domain(orgName)}.`,
        'If you did not expect that, tell the other administrators.',
      ],
    });
  }

  /** For the other admins. */
  adminAdded(to: string, email: string, orgName: string | null): Mail {
    return this.write({
      kind: 'admin-added',
      to,
      subject: 'There is a new administrator',
      paragraphs: [
        `${plainName(email)} was made an administrator of ${this.domain(orgName)}, as you are.`,
        'If you do not know why, take the role away again, and find out in the audit log who gave it.',
      ],
    });
  }

  /** For the other admins, when an intruder may have been in the account of one. */
  adminSecured(to: string, email: string, grants: Grant[]): Mail {
    return this.write({
      kind: 'admin-secured',
      to,
      subject: "An administrator's account was secured",
      paragraphs: [
        `Somebody else may have been in the ${this.product} account of ${plainName(email)}, who is an administrator as you are. The owner has logged out every browser, and the old password no longer works. The open invitations it sent in the last three days were taken back.`,
        grants.length === 0
          ? 'In the last three days it changed no role.'
          : 'This is what it did to the roles of others in the last three days. Undo what should not be.',
        ...listOf(grants.map(inPlainWords)),
      ],
    });
  }

  /** For a user whose role an admin's account changed, when an intruder may have been in it. */
  roleChangedBySecured(to: string, email: string, grants: Grant[]): Mail {
    return this.write({
      kind: 'role-changed-by-secured',
      to,
      subject: "An administrator's account was secured",
      paragraphs: [
        `Somebody else may have been in the ${this.product} account of ${plainName(email)}. In the last three days that account changed your role:`,
        ...listOf(grants.map(inPlainWords)),
        'If that should not be, ask an administrator to undo it.',
      ],
    });
  }

  /** For the owner, beside the mail with the link to set a new password. */
  accountSecured(to: string, { acts, grants, membership, hasLostFactors }: SecuredAccount): Mail {
    const done = [...listOf(acts.map(actInPlainWords)), ...listOf(grants.map(inPlainWords))];
    return this.write({
      kind: 'account-secured',
      to,
      subject: 'Your account was secured',
      paragraphs: [
        `The link “This was not me” has logged out every browser of your ${this.product} account. Its password no longer works; another mail has the link to set a new one.`,
        ...(hasLostFactors ? [LOST_FACTORS] : []),
        ...(membership === null ? [] : [MEMBERSHIPS[membership]]),
        done.length === 0
          ? 'In the last three days the account did nothing to organizations and roles.'
          : 'This is what the account did to organizations and roles in the last three days. Undo what you did not do, or ask an administrator to.',
        ...done,
      ],
    });
  }

  newLogin(issued: IssuedToken, login: NewLogin): Mail {
    return this.notice(issued, {
      kind: 'new-login',
      subject: 'A new login to your account',
      paragraphs: [
        `Somebody logged in to your ${this.product} account with ${inWords(login)}.`,
        `If that was you, there is nothing to do. ${NOT_YOU}`,
      ],
    });
  }

  /** For the logins of an hour, newest first. */
  newLogins(issued: IssuedToken, logins: NewLogin[]): Mail {
    return this.notice(issued, {
      kind: 'new-logins',
      subject: 'More logins to your account',
      paragraphs: [
        `These logins to your ${this.product} account followed the one that we told you of. Some came from browsers that it did not know.`,
        ...logins.map((login) => `With ${inWords(login)}.`),
        `If all of them were yours, there is nothing to do. ${NOT_YOU}`,
      ],
    });
  }

  pendingLogin(issued: IssuedToken): Mail {
    return this.notice(issued, {
      kind: 'login-pending',
      subject: 'A login to your account waits for its second step',
      paragraphs: [
        `In a browser that your ${this.product} account does not know, a person took the first step of a login. To get that far, the person must know your password, or control your account at an identity provider that you log in through.`,
        'If that was you, there is nothing to do. If it was not, use the link below. It logs out every browser, and the password stops working until you set a new one. If you log in through an identity provider, also change your password there.',
      ],
    });
  }

  /** What `mail test` sends: written as the others are, so that it meets the same filters. */
  test(to: string): Mail {
    return this.write({
      kind: 'test',
      to,
      subject: 'This is a test mail',
      paragraphs: [
        `An operator of ${this.product} sent this mail to see whether mails arrive.`,
        'It reports nothing else, and there is nothing to do.',
      ],
    });
  }

  /** What an admin administers. */
  private domain(orgName: string | null): string {
    return orgName === null ? this.product : `the organization “${plainName(orgName)}” at ${this.product}`;
  }

  private logIn(): Action {
    return { label: 'Log in', link: this.links.login() };
  }

  private setNewPassword(): Action {
    return { label: 'Set a new password', link: this.links.forgotPassword() };
  }

  /** A mail to the owner of an account about what happened to it, with a link that undoes it. */
  private notice({ token, sentTo, expiresAt }: IssuedToken, notice: Notice): Mail {
    const action = { label: 'This was not me', link: this.links.secureAccount(token) };
    return this.write({ ...notice, to: sentTo, expiresAt, action, footnote: worksOnce(expiresAt) });
  }

  private write(message: AddressedMessage): Mail {
    const { kind, to, subject, expiresAt } = message;
    const { supportEmail, productColor: color } = this.environment;
    const sender = {
      color,
      name: this.product,
      contact: supportEmail ? `Questions? Write to ${supportEmail}.` : null,
    };
    const [text, html] = [asText(message, sender), asHtml(message, sender)];
    return { kind, to, subject, text, html, ...(expiresAt && { expiresAt }) };
  }
}

/** The program, the place and the time of a login. */
function inWords({ userAgent, ip, createdAt }: NewLogin): string {
  const from = ip === null ? '' : ` from ${ip}`;
  return `${deviceName(userAgent)}${from}, on ${inUtc(createdAt)}`;
}

function codesLeft(left: number): string {
  if (left === 0) return 'It was the last one. Make new ones while you are logged in.';
  return left === 1 ? 'One more is left.' : `${left} more are left.`;
}

function worksOnce(until: Date): string {
  return `The link works once, until ${inUtc(until)}.`;
}

/** The first sentences of a list, and how many more there are. */
function listOf(sentences: string[]): string[] {
  const more = sentences.length - MAX_LISTED;
  const rest = more > 0 ? [`There are at least ${more} more, which the audit log shows.`] : [];
  return [...sentences.slice(0, MAX_LISTED), ...rest];
}

function actInPlainWords({ type, orgName, isOwn, secondFactorRequired }: OrgAct): string {
  const org = orgName === null ? 'an organization that is gone' : `the organization “${plainName(orgName)}”`;
  if (type === 'member.joined') return `It joined ${org}.`;
  if (type === 'member.removed') return isOwn ? `It left ${org}.` : `It was taken out of ${org}.`;
  if (type === 'org.created') return `It founded ${org}.`;
  if (type === 'org.deleted') return 'It ended an organization.';
  if (secondFactorRequired === null) return `It renamed ${org}, which has this name now.`;
  return secondFactorRequired
    ? `It made ${org} require a second step of its members.`
    : `It made ${org} require no second step of its members.`;
}

function inPlainWords({ email, role }: Grant): string {
  const who = email === null ? 'Somebody whose account is gone' : plainName(email);
  return role === null ? `${who} was taken out of the organization.` : `${who} became ${ROLES[role]}.`;
}

/** An address as only its owner recognises it: `a…@example.com`. */
function masked(address: string): string {
  const [first = ''] = address;
  return `${first}…${address.slice(address.lastIndexOf('@'))}`;
}

const DAY_AND_TIME = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
});

/** An instant, such as `21 November 2026 at 13:30 UTC`. */
function inUtc(instant: Date): string {
  return `${DAY_AND_TIME.format(instant)} UTC`;
}
