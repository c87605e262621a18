'use client';

import { useCallback, useEffect, useState } from 'react';
import type { components } from './contract.js';
import type { PermissionName } from './latchkey.js';
import { type AnyLatchkey, useClient, useSession } from './react-client.js';

type Answered = components['schemas']['Access'];

/** What the user may do in the organization of a client. It decides what a page shows; the service decides what is allowed. */
export interface Access {
  /** False until the service has answered, and where it let the user not in. */
  can(permission: PermissionName): boolean;
  /** Whether the organization, or the user outside of organizations, has a subscription; false until the service has answered. */
  readonly isSubscribed: boolean;
  readonly isLoading: boolean;
  /** Asks again, such as after a 402 or 403, which says that something has changed. */
  refresh(): Promise<void>;
}

/** The access of the user, at the client given or else that of the `LatchkeyProvider` above. It is asked for again at each login. */
export function useAccess(latchkey?: Pick<AnyLatchkey, 'access' | 'session'>): Access {
  const client = useClient(latchkey);
  const session = useSession(client);
  const user = session.status === 'in' ? session.user.id : null;
  const [known, setKnown] = useState<{ client: unknown; user: string; access: Answered | null } | null>(null);

  const refresh = useCallback(async () => {
    if (user === null) return;
    const access = await client.access().then(
      (answer) => answer.access,
      () => null,
    );
    setKnown({ client, user, access });
  }, [client, user]);

  useEffect(() => {
    void refresh();
  }, [refresh]);

  // What was answered to somebody else, or of another organization, says nothing.
  const isKnown = known !== null && known.client === client && known.user === user;
  const access = isKnown ? known.access : null;
  return {
    can: (permission) => access?.permissions.includes(permission) === true,
    isSubscribed: access?.subscribed === true,
    isLoading: session.status === 'loading' || (user !== null && !isKnown),
    refresh,
  };
}
