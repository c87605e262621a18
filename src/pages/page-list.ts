/** The pages that exist everywhere; `/ui/signup` and `/ui/billing` depend on the settings. */
export const ACCOUNT_PAGES = [
  'login',
  'verify-email',
  'confirm-email',
  'secure-account',
  'forgot-password',
  'reset-password',
  'accept-invitation',
  'second-step',
  'account',
  'security',
].map((name) => `ui/${name}`);

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
