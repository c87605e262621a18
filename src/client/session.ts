import type { Call } from './call.js';
import type { components } from './contract.js';
import { isProblem, type LatchkeyProblem } from './problem.js';

export type User = components['schemas']['User'];
export type Session = components['schemas']['Session'];
export type OrganizationOfUser = components['schemas']['OrganizationOfUser'];

/** Who is logged in, as far as the client knows. It stays the same object until something changes. */
export type Snapshot =
  | { readonly status: 'loading' }
  | { readonly status: 'out' }
  | ({ readonly status: 'in' } & LoggedIn)
  /** The user who is logged in is not a member of the client's organization, or it has suspended them. */
  | { readonly status: 'no_member' }
  | { readonly status: 'unreachable'; readonly problem: LatchkeyProblem };

/** The session of this browser, as a store that any framework can follow. */
export interface SessionStore {
  /** Calls `listener` after each change, until the returned function is called. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => Snapshot;
  /** What was known at first: the `initial` session, or `loading`. A page that a server has rendered begins with it. */
  readonly getServerSnapshot: () => Snapshot;
  /** Asks the service who is logged in. Never throws: a failure keeps what is known. */
  readonly refresh: () => Promise<void>;
}

interface LoggedIn {
  readonly user: User;
  readonly session: Session;
  /** The organizations that the user belongs to, by their names. */
  readonly organizations: OrganizationOfUser[];
}

/** What a browser has, and a server does not. */
interface Page {
  document: EventTarget & { visibilityState: string };
  addEventListener: EventTarget['addEventListener'];
}

type Channel = InstanceType<typeof BroadcastChannel>;

const PAGE = globalThis as unknown as Partial<Page>;

const ME = 'GET /users/me';
const LOGOUT = 'POST /auth/logout';

/** What may change the answer to `ME`, unless it only reads; options change nothing. */
const MAY_CHANGE_ME = /^(?!GET)\S+ \/(auth|password|users|sessions|orgs|invitations)\b(?!.*\/options$)/;

/** Here a 401 speaks of the login that lacks its second step. */
const PENDING_LOGIN = /\/pending-login/;

const ONE_MINUTE_MS = 60_000;
/** The clock of the service may be somewhat behind. */
const AFTER_EXPIRY_MS = 1000;
/** No timer waits longer. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/**
 * Follows the session by what calls answer, by time, and by what other tabs with the same `url` do, and clients of
 * organizations in this one. A login says who the user is outside of organizations, so that one of those asks again.
 */
export function followSession(
  url: string,
  send: Call,
  initial: Snapshot = { status: 'loading' },
  isBound = false,
): { session: SessionStore; call: Call } {
  const channelName = `latchkey ${url}`;
  const listeners = new Set<() => void>();
  let snapshot = initial;
  let unwatch: () => void;
  let channel: Channel | undefined;
  let expiry: ReturnType<typeof setTimeout>;
  let readAtMs = 0;
  /** Counts what was begun. Of two readings, the one that was begun later counts. */
  let turn = 0;
  let knownSince = 0;

  return {
    session: { subscribe, getSnapshot: () => snapshot, getServerSnapshot: () => initial, refresh },
    call,
  };

  function subscribe(listener: () => void): () => void {
    // Each subscription is one of its own, also of the same function.
    const own = () => listener();
    listeners.add(own);
    if (listeners.size === 1) unwatch = watch();
    return () => {
      if (listeners.delete(own) && !listeners.size) unwatch();
    };
  }

  async function refresh(): Promise<void> {
    readAtMs = Date.now();
    try {
      await call(ME);
    } catch (problem) {
      const isUnknown = snapshot.status === 'loading' || snapshot.status === 'unreachable';
      // A 401 that taught nothing came too late: a reading that was begun after it is under way.
      if (isUnknown && !isProblem(problem, 'Unauthenticated'))
        learn({ status: 'unreachable', problem: problem as LatchkeyProblem }, knownSince);
      refreshAtExpiry();
    }
  }

  /** Calls an operation, and learns from what it answers. */
  async function call(...[route, input, options]: Parameters<Call>): Promise<unknown> {
    const began = ++turn;
    try {
      const answer = await send(route, input, options);
      if (route === ME) learn(loggedIn(answer as LoggedIn), began);
      else if (MAY_CHANGE_ME.test(route)) noteChange(route, answer as Partial<LoggedIn>);
      return answer;
    } catch (error) {
      const isOut = isProblem(error, 'Unauthenticated') && !PENDING_LOGIN.test(route);
      if (isOut && route === LOGOUT) return noteChange(route);
      if (isOut) learn({ status: 'out' }, began);
      if (route === ME && isProblem(error, 'NotFound', 'MembershipSuspended'))
        learn({ status: 'no_member' }, began);
      throw error;
    }
  }

  /** A reading that was begun before a change may say what was true before it, so it no longer counts. */
  function noteChange(route: string, answer: Partial<LoggedIn> = {}): void {
    const mayBeWrong = snapshot.status === 'in' || (snapshot.status !== 'out' && listeners.size);
    if (route === LOGOUT) learn({ status: 'out' }, ++turn);
    else if (answer.organizations && !isBound) learn(loggedIn(answer as LoggedIn), ++turn);
    else if (mayBeWrong) {
      knownSince = ++turn;
      refresh();
    }
    tellOtherTabs();
  }

  function learn(next: Snapshot, began: number): void {
    if (began < knownSince) return;
    knownSince = began;
    const isNew = JSON.stringify(next) !== JSON.stringify(snapshot);
    if (isNew) snapshot = next;
    refreshAtExpiry();
    if (isNew) for (const listener of listeners) listener();
  }

  /** Begins to follow the session, until the returned function is called. */
  function watch(): () => void {
    const left = new AbortController();
    PAGE.document?.addEventListener('visibilitychange', refreshIfVisible, { signal: left.signal });
    PAGE.addEventListener?.('pageshow', refreshIfRestored, { signal: left.signal });
    channel = new BroadcastChannel(channelName);
    channel.onmessage = refresh;
    refresh();
    return () => {
      left.abort();
      channel?.close();
      channel = undefined;
      clearTimeout(expiry);
    };
  }

  function refreshIfVisible(): void {
    if (PAGE.document?.visibilityState === 'visible' && Date.now() - readAtMs >= ONE_MINUTE_MS) refresh();
  }

  /** From the back/forward cache a page comes as it was left, perhaps before a logout. */
  function refreshIfRestored(event: Event): void {
    if ('persisted' in event && event.persisted) refresh();
  }

  /** A session that goes on after its end shows that a clock is wrong: then the service is asked once a minute. */
  function refreshAtExpiry(): void {
    clearTimeout(expiry);
    if (!listeners.size || snapshot.status !== 'in') return;
    const leftMs = Date.parse(snapshot.session.expires_at) + AFTER_EXPIRY_MS - Date.now();
    expiry = setTimeout(refresh, leftMs > 0 ? Math.min(leftMs, LONGEST_WAIT_MS) : ONE_MINUTE_MS);
  }

  /** The channel that listens does not hear itself; another one of this tab would be heard. */
  function tellOtherTabs(): void {
    const teller = channel ?? new BroadcastChannel(channelName);
    teller.postMessage('changed');
    if (!channel) teller.close();
  }
}

function loggedIn({ user, session, organizations }: LoggedIn): Snapshot {
  return { status: 'in', user, session, organizations };
}
