// First of all: it takes a mailed token out of the address.
import '../parts/token.js';
import type { ComponentType } from 'preact';
import { showPage } from '../parts/show-page.js';
import { AcceptInvitation } from './accept-invitation.js';
import { ConfirmEmail } from './confirm-email.js';
import { ForgotPassword } from './forgot-password.js';
import { Login } from './login.js';
import { ResetPassword } from './reset-password.js';
import { SecureAccount } from './secure-account.js';
import { Signup } from './signup.js';
import { VerifyEmail } from './verify-email.js';

/** The pages for which nobody needs to be logged in, by the last part of their path. */
const PAGES: Record<string, ComponentType> = {
  'accept-invitation': AcceptInvitation,
  'confirm-email': ConfirmEmail,
  'forgot-password': ForgotPassword,
  login: Login,
  'reset-password': ResetPassword,
  'secure-account': SecureAccount,
  signup: Signup,
  'verify-email': VerifyEmail,
};

showPage(PAGES);
