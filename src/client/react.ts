'use client';

import { type ReactNode, useCallback, useEffect, useState } from 'react';
import type { components } from './contract.js';
import { isProblem, type LatchkeyProblem } from './problem.js';
import { useLatchkey, useSession, useUser } from './react-client.js';
import type { User } from './session.js';

export { type Access, useAccess } from './react-access.js';
export { type AnyLatchkey, LatchkeyProvider, useLatchkey, useSession, useUser } from './react-client.js';
export {
  type Credentials,
  type Entry,
  type EntryAnswer,
  type EntryStep,
  type Login,
  type PendingLogin,
  type Signup,
  type SignupDetails,
  useLogin,
  useSignup,
} from './react-entry.js';

export type Role = User['role'];
export type Organization = components['schemas']['Organization'];

/** From the least to the most. */
const ROLES: readonly Role[] = ['readonly', 'member', 'org_admin', 'sys_admin'];

/** Whether a user has a role, or one above it. */
export function hasRole(user: Pick<User, 'role'> | null, role: Role): boolean {
  return user !== null && ROLES.indexOf(user.role) >= ROLES.indexOf(role);
}

/** Shows its children to a user who is logged in. */
export function SignedIn({ children }: { children?: ReactNode }): ReactNode {
  return useUser() && children;
}

/** Shows its children once the service has said that nobody is logged in. */
export function SignedOut({ children }: { children?: ReactNode }): ReactNode {
  return useSession().status === 'out' ? children : null;
}

/**
 * Shows its children to a user with `role` or one above it, and `fallback` to any other user. It hides; only the service
 * refuses.
 */
export function Protect({
  role,
  fallback,
  children,
}: {
  role: Role;
  fallback?: ReactNode;
  children?: ReactNode;
}): ReactNode {
  const user = useUser();
  return user && (hasRole(user, role) ? children : fallback);
}

/** The organization of the user who is logged in: null where they have none, and until the service has answered. */
export function useOrganization(): {
  organization: Organization | null;
  isLoading: boolean;
  problem: LatchkeyProblem | null;
  /** Asks again, such as after a change of the name. */
  refresh(): Promise<void>;
} {
  const latchkey = useLatchkey();
  const session = useSession();
  const orgId = session.status === 'in' ? session.user.org_id : null;
  const [read, setRead] = useState<{ of: string; organization?: Organization; problem?: LatchkeyProblem }>();

  const refresh = useCallback(
    async (signal?: AbortSignal) => {
      if (orgId === null) return;
      try {
        const { org } = await latchkey.getOrg({ org_id: orgId }, { signal });
        setRead({ of: orgId, organization: org });
      } catch (problem) {
        if (signal?.aborted) return;
        if (!isProblem(problem)) throw problem;
        setRead({ of: orgId, problem });
      }
    },
    [latchkey, orgId],
  );
  useEffect(() => {
    const left = new AbortController();
    refresh(left.signal);
    return () => left.abort();
  }, [refresh]);

  // What was read of a former organization, or of that of a former user, is not this one's.
  const current = read?.of === orgId ? read : undefined;
  return {
    organization: current?.organization ?? null,
    isLoading: session.status === 'loading' || (orgId !== null && !current),
    problem: current?.problem ?? null,
    refresh: useCallback(() => refresh(), [refresh]),
  };
}
