import { useSyncExternalStore } from 'react';
import type { SessionStore, Snapshot } from './session.js';

const LOADING: Snapshot = { status: 'loading' };

/** Who is logged in; the component renders again when that changes. A server always renders `loading`. */
export function useSession({ session }: { readonly session: SessionStore }): Snapshot {
  return useSyncExternalStore(session.subscribe, session.getSnapshot, () => LOADING);
}
