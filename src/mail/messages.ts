import { Injectable } from '@nestjs/common';
import type { IssuedToken } from '../auth/one-time-tokens.js';
import { Links } from './links.js';
import type { Mail } from './mailer.js';

/** What the owner is told of a login. */
interface SignIn {
  userAgent: string | null;
  ip: string | null;
  at: Date;
}

type Words = Pick<Mail, 'to' | 'subject' | 'text'>;
function mail(kind: string, words: Words, expiresAt?: Date): Mail {
  return { kind, ...words, html: words.text, ...(expiresAt && { expiresAt }) };
}

@Injectable()
export class Messages {
  constructor(private readonly links: Links) {}
  verification({ token, sentTo, expiresAt }: IssuedToken): Mail {
    return mail('verification', verificationMail(sentTo, this.links.verifyEmail(token)), expiresAt);
  }
  alreadyRegistered(to: string): Mail {
    return mail('already-registered', alreadyRegisteredMail(to, this.links.forgotPassword()));
  }
  passwordReset({ token, sentTo, expiresAt }: IssuedToken): Mail {
    return mail('password-reset', passwordResetMail(sentTo, this.links.resetPassword(token)), expiresAt);
  }
  passwordChanged(to: string): Mail {
    return mail('password-changed', passwordChangedMail(to, this.links.forgotPassword()));
  }
  adminAppointed({ token, sentTo, expiresAt }: IssuedToken): Mail {
    return mail('admin-appointed', adminAppointedMail(sentTo, this.links.resetPassword(token)), expiresAt);
  }
  identityLinked(to: string): Mail {
    return mail('identity-linked', identityLinkedMail(to, this.links.forgotPassword()));
  }
  invitation({
    to,
    orgName,
    token,
    expiresAt,
  }: {
    to: string;
    orgName: string;
    token: string;
    expiresAt: Date;
  }): Mail {
    return mail('invitation', invitationMail(to, orgName, this.links.acceptInvitation(token)), expiresAt);
  }
  emailChange({ token, sentTo, expiresAt }: IssuedToken): Mail {
    return mail('email-change', emailChangeMail(sentTo, this.links.verifyEmail(token)), expiresAt);
  }
  addressTaken(to: string): Mail {
    return mail('address-taken', addressTakenMail(to, this.links.forgotPassword()));
  }
  emailChangeAsked(to: string): Mail {
    return mail('email-change-asked', emailChangeAskedMail(to, this.links.forgotPassword()));
  }
  emailChanged(to: string): Mail {
    return mail('email-changed', emailChangedMail(to));
  }
  newSignIn(to: string, signIn: SignIn): Mail {
    return mail('new-sign-in', newSignInMail(to, signIn, this.links.forgotPassword()));
  }
}

// The words of every mail. A link stands on a line of its own, so that no mail client breaks it.

function verificationMail(to: string, link: string): Words {
  return {
    to,
    subject: 'Confirm your email address',
    text: [
      'Open this link to confirm your email address. It is good for 24 hours:',
      link,
      'If you did not sign up, ignore this mail: without the link nobody can log in with your address.',
    ].join('\n\n'),
  };
}

function alreadyRegisteredMail(to: string, forgotPasswordLink: string): Words {
  return {
    to,
    subject: 'You already have an account',
    text: [
      'Somebody, probably you, signed up with this address, but it already has an account. Nothing was changed.',
      'If you forgot your password, or never confirmed the address, set a new password here:',
      forgotPasswordLink,
    ].join('\n\n'),
  };
}

function passwordResetMail(to: string, link: string): Words {
  return {
    to,
    subject: 'Set a new password',
    text: [
      'Open this link to set a new password. It is good for one hour and for one use:',
      link,
      'If you did not ask for it, ignore this mail: your password stays as it is.',
    ].join('\n\n'),
  };
}

function passwordChangedMail(to: string, forgotPasswordLink: string): Words {
  return {
    to,
    subject: 'Your password was changed',
    text: [
      'The password of your account was just changed, and the sessions it had started were ended.',
      'If that was not you, set a new password at once:',
      forgotPasswordLink,
    ].join('\n\n'),
  };
}

function adminAppointedMail(to: string, link: string): Words {
  return {
    to,
    subject: 'You are an administrator',
    text: [
      'You were made an administrator of this service. Open this link to set your password.',
      'It is good for one hour and for one use:',
      link,
    ].join('\n\n'),
  };
}

function identityLinkedMail(to: string, forgotPasswordLink: string): Words {
  return {
    to,
    subject: 'A new way to log in to your account',
    text: [
      'Your account can now also be used through the identity provider that vouched for this address.',
      'If that was not you, set a new password, and take the identity off your account:',
      forgotPasswordLink,
    ].join('\n\n'),
  };
}

function invitationMail(to: string, orgName: string, link: string): Words {
  const org = withoutLinks(orgName);
  return {
    to,
    subject: `You are invited to ${org}`,
    text: [
      `You are invited to join ${org}. Open this link to accept. It is good for seven days and for one use:`,
      link,
      'If you do not know who that is, ignore this mail: nothing happens without the link.',
    ].join('\n\n'),
  };
}

/**
 * A name that somebody chose, as a mail may carry it: on one line, and with nothing a mail client would take for an
 * address. A zero-width space after each dot, slash, colon and at sign keeps `evil.example/login` a mere text.
 */
function withoutLinks(name: string): string {
  return name.replace(/\p{Cc}+/gu, ' ').replace(/[./:@]/g, (sign) => `${sign}\u200b`);
}

function emailChangeMail(to: string, link: string): Words {
  return {
    to,
    subject: 'Confirm your new email address',
    text: [
      'Open this link to make this the email address of your account. It is good for 24 hours and for one use:',
      link,
      'If you did not ask for it, ignore this mail: without the link nothing changes.',
    ].join('\n\n'),
  };
}

function addressTakenMail(to: string, forgotPasswordLink: string): Words {
  return {
    to,
    subject: 'You already have an account',
    text: [
      'Somebody, probably you, asked to use this address for an account, but it already has one. Nothing was changed.',
      'If you forgot the password of that account, set a new one here:',
      forgotPasswordLink,
    ].join('\n\n'),
  };
}

function emailChangeAskedMail(to: string, forgotPasswordLink: string): Words {
  return {
    to,
    subject: 'Your email address is about to change',
    text: [
      'Somebody who knows your password, probably you, asked to give your account another email address.',
      'If that was not you, set a new password at once. That also stops the change:',
      forgotPasswordLink,
    ].join('\n\n'),
  };
}

function newSignInMail(to: string, { userAgent, ip, at }: SignIn, forgotPasswordLink: string): Words {
  return {
    to,
    subject: 'A new sign-in to your account',
    text: [
      'Somebody, probably you, signed in to your account from a browser that was not used for it before.',
      [
        `Time: ${at.toUTCString()}`,
        `Address: ${ip ?? 'unknown'}`,
        `Browser: ${withoutLinks(userAgent ?? 'unknown')}`,
      ].join('\n'),
      'If that was not you, set a new password at once. That also ends every session:',
      forgotPasswordLink,
    ].join('\n\n'),
  };
}

function emailChangedMail(to: string): Words {
  return {
    to,
    subject: 'Your email address was changed',
    text: [
      'The account that had this email address now has another one. You can no longer log in with this one.',
      'If that was not you, tell the people who run the service.',
    ].join('\n\n'),
  };
}
