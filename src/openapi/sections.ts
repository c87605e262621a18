/** The sections of the contract, in its order, and the first segments of the paths in each. */
const SECTIONS: Record<string, string[]> = {
  Auth: ['auth'],
  'Users, sessions': ['users', 'sessions', '.well-known'],
  Password: ['password'],
  'Organizations, invitations': ['orgs', 'invitations'],
  Subscription: ['subscription'],
  Operations: ['system', 'mails', 'cron', 'health', 'metrics', 'audit-events', 'ai'],
};

/** The sections of some paths, in the order of the contract; those of a product come last. */
export function sectionsOf(paths: string[]): { name: string }[] {
  const used = new Set(paths.map(sectionOf));
  const known = Object.keys(SECTIONS).filter((name) => used.has(name));
  return [...new Set([...known, ...used])].map((name) => ({ name }));
}

/** The section a path belongs to; what a product adds has one by its own name. */
export function sectionOf(path: string): string {
  const [, first = ''] = path.split('/');
  return Object.keys(SECTIONS).find((section) => SECTIONS[section]?.includes(first)) ?? first;
}
