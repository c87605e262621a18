/** The pages that exist everywhere and need nobody to be logged in; `/ui/signup` depends on the settings. */
export const LOGIN_PAGES = [
  'login',
  'verify-email',
  'confirm-email',
  'secure-account',
  'forgot-password',
  'reset-password',
  'accept-invitation',
].map((name) => `ui/${name}`);

/** Those of system admins that exist everywhere; `/admin/billing` depends on the settings. */
export const SYSTEM_SCREENS = ['admin', 'admin/organizations', 'admin/mail', 'admin/system'];

/** Those of system admins about users. */
export const USER_SCREENS = ['admin/users', 'admin/user'];
