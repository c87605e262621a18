/** The sections of the contract, in its order, and the first segments of the paths in each. */
const SECTIONS: Record<string, string[]> = {
  Auth: ['auth'],
  'Users, sessions': ['users', 'sessions'],
  Password: ['password'],
  'Organizations, invitations': ['orgs', 'invitations'],
  Subscription: ['subscription'],
  Operations: ['cron', 'health', 'metrics', 'audit-events', 'ai'],
};

/** Every section, in the order of the contract. */
export const sections = Object.keys(SECTIONS).map((name) => ({ name }));

/** The section a path belongs to; what a product adds has one by its own name. */
export function sectionOf(path: string): string {
  const [, first = ''] = path.split('/');
  return Object.keys(SECTIONS).find((section) => SECTIONS[section]?.includes(first)) ?? first;
}
