import { useLate } from './late.js';
import type { Snapshot } from './session.js';

/** Says on every page of an account, while an admin acts for its owner, that they do. */
export function Acting({ session }: { session: Snapshot }) {
  const isActing = session.status === 'in' && session.session.acting !== null;
  const Banner = useLate(isActing, async () => (await import('./acting-banner.js')).ActingBanner);
  return Banner && isActing && <Banner {...session} />;
}
