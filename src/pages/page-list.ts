/** The pages that exist everywhere and need nobody to be logged in; `/ui/signup` depends on the settings. */
export const LOGIN_PAGES = [
  'login',
  'verify-email',
  'confirm-email',
  'secure-account',
  'forgot-password',
  'reset-password',
  'accept-invitation',
  'second-step',
].map((name) => `ui/${name}`);

/** The pages of a user that exist everywhere; `/ui/billing` depends on the settings. */
export const ACCOUNT_PAGES = ['ui/account', 'ui/security'];

/** The screens of the console that exist everywhere; `/admin/billing` depends on the settings. */
export const CONSOLE_SCREENS = [
  'admin',
  'admin/organizations',
  'admin/organization',
  'admin/users',
  'admin/user',
  'admin/activity',
  'admin/mail',
  'admin/system',
];
