'use client';

import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useSyncExternalStore,
} from 'react';
import type { Latchkey, LatchkeyInOrg } from './latchkey.js';
import type { SessionStore, Snapshot, User } from './session.js';

/** A client, whatever the paths of its product are. */
export type AnyLatchkey = Omit<Latchkey, 'call'>;

const Provided = createContext<AnyLatchkey | null>(null);

/** Lends a client to all hooks and components below it; that of an organization makes them be about that one. */
export function LatchkeyProvider({
  client,
  children,
}: {
  client: AnyLatchkey | Omit<LatchkeyInOrg, 'call'>;
  children?: ReactNode;
}): ReactElement {
  return createElement(Provided.Provider, { value: client as AnyLatchkey }, children);
}

/** The client of the `LatchkeyProvider` above. */
export function useLatchkey(): AnyLatchkey {
  return mustBeThere(useContext(Provided));
}

/**
 * Who is logged in, at the client given or else that of the `LatchkeyProvider` above; the component renders again when
 * that changes. A server renders the `initial` session of the client, or `loading`.
 */
export function useSession(latchkey?: { readonly session: SessionStore }): Snapshot {
  const { session } = useClient(latchkey);
  return useSyncExternalStore(session.subscribe, session.getSnapshot, session.getServerSnapshot);
}

/** The client given, or else that of the `LatchkeyProvider` above. */
export function useClient<Client>(given: Client | undefined): Client | AnyLatchkey {
  const provided = useContext(Provided);
  return mustBeThere(given ?? provided);
}

/** The user who is logged in; null while nobody is, and until the service has answered. */
export function useUser(): User | null {
  const session = useSession();
  return session.status === 'in' ? session.user : null;
}

function mustBeThere<T>(client: T | null): T {
  if (client === null) throw new Error('There is no LatchkeyProvider above this component.');
  return client;
}
