/** Pages that mails, identity providers and Stripe lead to. */
const LINKED_PAGES = [
  'login',
  'login-code',
  'signup',
  'verify-email',
  'confirm-email',
  'secure-account',
  'forgot-password',
  'reset-password',
  'accept-invitation',
  'second-step',
  'billing',
];

/** Whether a product can have such a page of its own, which links lead to. */
export function isLinkedPage(name: string): boolean {
  return LINKED_PAGES.includes(name);
}
