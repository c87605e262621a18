import { late } from './late.js';
import type { Snapshot } from './session.js';

const Banner = late(async () => (await import('./acting-banner.js')).ActingBanner);

/** Says on every page of an account, while an admin acts for its owner, that they do. */
export function Acting({ session }: { session: Snapshot }) {
  return session.status === 'in' && session.session.acting && <Banner {...session} />;
}
