import type { Mail } from './mailer.js';

// The words of every mail. A link stands on a line of its own, so that no mail client breaks it.

export function verificationMail(to: string, link: string): Mail {
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

export function alreadyRegisteredMail(to: string, forgotPasswordLink: string): Mail {
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

export function passwordResetMail(to: string, link: string): Mail {
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

export function passwordChangedMail(to: string, forgotPasswordLink: string): Mail {
  return {
    to,
    subject: 'Your password was changed',
    text: [
      'The password of your account was just changed, and your other sessions were ended.',
      'If that was not you, set a new password at once:',
      forgotPasswordLink,
    ].join('\n\n'),
  };
}

export function adminAppointedMail(to: string, link: string): Mail {
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

export function identityLinkedMail(to: string, forgotPasswordLink: string): Mail {
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
