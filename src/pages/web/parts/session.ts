import { useEffect, useState } from 'preact/hooks';
import type { OrganizationOfUser } from '../../../client/latchkey.js';
import { addressOf } from './facts.js';
import { go } from './notice.js';
import { forgetWayBack, returnHere } from './return-to.js';
import { say, Word } from './say.js';
import { latchkey } from './service.js';

export type { OrganizationOfUser };
export type Snapshot = ReturnType<typeof latchkey.session.getSnapshot>;
export type User = Extract<Snapshot, { status: 'in' }>['user'];

let isEnding = false;

/** A user as they are in one of their organizations: with the role there, unless they administer the service. */
export function userIn(
  orgId: string | null | undefined,
  user: User,
  organizations: OrganizationOfUser[],
): User {
  const membership = organizations.find(({ id }) => id === orgId);
  if (!membership) return user;
  return { ...user, org_id: membership.id, role: user.role === 'sys_admin' ? user.role : membership.role };
}

/** Who is logged in, in this tab and in the others. */
export function useSession(): Snapshot {
  const [snapshot, setSnapshot] = useState(latchkey.session.getSnapshot);
  useEffect(() => latchkey.session.subscribe(() => setSnapshot(latchkey.session.getSnapshot())), []);
  return snapshot;
}

/** Lets the user log in, and come back to this page. */
export function goToLogin(): Promise<never> {
  if (isEnding) return new Promise(() => {});
  return go(addressOf(`ui/login${returnHere()}`), say(Word['parts.pleaseLogIn']), { isDone: false });
}

/** Does an act that ends the session, and goes to another page; this one does not ask for a login meanwhile. */
export async function endSession(
  act: () => Promise<unknown>,
  page: string,
  message: string,
  look = { isDone: true },
): Promise<never> {
  isEnding = true;
  try {
    await act();
  } catch (error) {
    isEnding = false;
    throw error;
  }
  return go(page, message, look);
}

/** Ends the session and lets the user log in, to another account or anew, and come back to this page. */
export function logInAnew(): Promise<never> {
  return endSession(
    () => latchkey.logout(),
    addressOf(`ui/login${returnHere()}`),
    say(Word['parts.pleaseLogIn']),
    {
      isDone: false,
    },
  );
}

export function logOut(): Promise<never> {
  forgetWayBack();
  return endSession(() => latchkey.logout(), addressOf('ui/login'), say(Word['parts.loggedOut']));
}

/**
 * Hides the page when the browser puts it away: after a logout it could bring it back. It shows itself again only once
 * the service says that the same user is logged in.
 */
export function hideWhileAway(root: HTMLElement): void {
  let before: string | null = null;
  addEventListener('pagehide', () => {
    before = userId(latchkey.session.getSnapshot());
    root.hidden = true;
  });
  addEventListener('pageshow', async ({ persisted }) => {
    if (!persisted) return;

    const user = await latchkey.me().then(
      (me) => me.user.id,
      () => null,
    );
    // A page of a visitor begins anew: its question for a passkey has ended.
    if (user !== null && user === before) root.hidden = false;
    else location.reload();
  });
}

function userId(snapshot: Snapshot): string | null {
  return snapshot.status === 'in' ? snapshot.user.id : null;
}
