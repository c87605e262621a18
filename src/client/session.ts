import type { Call, Given } from './call.js';
import type { components } from './contract.js';
import { isProblem, type LatchkeyProblem } from './problem.js';

export type User = components['schemas']['User'];
export type Session = components['schemas']['Session'];

/** Who is logged in, as far as the client knows. It stays the same object until something changes. */
export type Snapshot =
  | { readonly status: 'loading' }
  | { readonly status: 'out' }
  | { readonly status: 'in'; readonly user: User; readonly session: Session }
  | { readonly status: 'unreachable'; readonly problem: LatchkeyProblem };

/** The session of this browser, as a store that any framework can follow. */
export interface SessionStore {
  /** Calls `listener` after each change, until the returned function is called. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => Snapshot;
  /** Asks the service who is logged in. Never throws: a failure keeps what is known. */
  readonly refresh: () => Promise<void>;
}

interface LoggedIn {
  user: User;
  session: Session;
}

/** What a browser has and a server does not. */
interface Page {
  document: EventTarget & { visibilityState: string };
  addEventListener: EventTarget['addEventListener'];
}

const ME = 'GET /users/me';
const LOGOUT = 'POST /auth/logout';

/** What may change the answer to `ME`, beside what names the user or their organization. Options change nothing. */
const MAY_CHANGE_ME = /^[A-Z]+ \/(auth|password|users\/me|sessions|invitations)\b(?!.*\/options$)/;

/** Here a 401 speaks of the login that lacks its second step. */
const PENDING_LOGIN = /\/pending-login/;

const ONE_MINUTE_MS = 60_000;
/** The clock of the service may be somewhat behind. */
const AFTER_EXPIRY_MS = 1000;
/** A timer cannot wait longer. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** Follows the session by what operations answer, by time, and by what other tabs do. */
export class SessionFollower implements SessionStore {
  readonly #page = globalThis as unknown as Partial<Page>;
  readonly #listeners = new Set<() => void>();
  readonly #channelName: string;
  readonly #send: Call;
  #snapshot: Snapshot = { status: 'loading' };
  #channel: InstanceType<typeof BroadcastChannel> | undefined;
  #watch = new AbortController();
  #expiry: ReturnType<typeof setTimeout> | undefined;
  #reading: Promise<void> | undefined;
  #readAtMs = 0;
  /** Counts what was begun: of two readings, the one that was begun later counts. */
  #turn = 0;
  #knownSince = 0;

  /** Tabs with the same `url` hear of each other. */
  constructor(url: string, send: Call) {
    this.#channelName = `latchkey ${url}`;
    this.#send = send;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    // Each subscription is one of its own, also of the same function.
    const own = () => listener();
    this.#listeners.add(own);
    if (this.#listeners.size === 1) this.#start();
    return () => {
      if (this.#listeners.delete(own) && this.#listeners.size === 0) this.#stop();
    };
  };

  readonly getSnapshot = (): Snapshot => this.#snapshot;

  readonly refresh = (): Promise<void> => {
    const reading = this.#read().finally(() => {
      if (this.#reading === reading) this.#reading = undefined;
      this.#askAtExpiry();
    });
    this.#reading = reading;
    return reading;
  };

  /** Calls an operation, and learns from what it answers. */
  readonly call: Call = async (route, input, options) => {
    const turn = ++this.#turn;
    try {
      const answer = await this.#send(route, input, options);
      if (route === ME) this.#learn(loggedIn(answer as LoggedIn), turn);
      else if (!route.startsWith('GET')) this.#noteAct(route, input, answer as Partial<LoggedIn>);
      return answer;
    } catch (error) {
      if (!isProblem(error, 'Unauthenticated') || PENDING_LOGIN.test(route)) throw error;
      this.#learn({ status: 'out' }, turn);
      if (route !== LOGOUT) throw error;
    }
  };

  async #read(): Promise<void> {
    this.#readAtMs = Date.now();
    try {
      await this.call(ME);
    } catch (problem) {
      if (this.#snapshot.status === 'in' || this.#snapshot.status === 'out') return;
      this.#learn({ status: 'unreachable', problem: problem as LatchkeyProblem }, this.#knownSince);
    }
  }

  /** What was asked before an act may be answered with what was true before it, and counts no more. */
  #noteAct(route: string, input: Given = {}, { user, session }: Partial<LoggedIn> = {}): void {
    const known = this.#snapshot;
    const mayChangeMe = MAY_CHANGE_ME.test(route);
    if (route === LOGOUT) this.#learn({ status: 'out' }, ++this.#turn);
    else if (mayChangeMe && user && session) this.#learn(loggedIn({ user, session }), ++this.#turn);
    else if (mayChangeMe || (known.status === 'in' && isAbout(known.user, input))) {
      this.#knownSince = ++this.#turn;
      if (known.status === 'in') this.refresh();
    } else return;
    this.#tellOtherTabs();
  }

  #learn(next: Snapshot, turn: number): void {
    if (turn < this.#knownSince) return;
    this.#knownSince = turn;
    if (JSON.stringify(next) === JSON.stringify(this.#snapshot)) return;
    this.#snapshot = next;
    this.#askAtExpiry();
    for (const listener of this.#listeners) listener();
  }

  #start(): void {
    this.#watch = new AbortController();
    const { signal } = this.#watch;
    this.#page.document?.addEventListener('visibilitychange', () => this.#askIfVisible(), { signal });
    this.#page.addEventListener?.('pageshow', (event) => this.#askIfRestored(event), { signal });
    this.#channel = new BroadcastChannel(this.#channelName);
    this.#channel.onmessage = this.refresh;
    if (!this.#reading) this.refresh();
  }

  #stop(): void {
    this.#watch.abort();
    this.#channel?.close();
    this.#channel = undefined;
    clearTimeout(this.#expiry);
  }

  #askIfVisible(): void {
    const isVisible = this.#page.document?.visibilityState === 'visible';
    if (isVisible && Date.now() - this.#readAtMs >= ONE_MINUTE_MS) this.refresh();
  }

  /** From the back/forward cache a page comes as it was left, perhaps before a logout. */
  #askIfRestored(event: Event): void {
    if ((event as Event & { persisted: boolean }).persisted) this.refresh();
  }

  /** Where the session goes on after its end, one of the clocks is wrong: then the store asks once a minute. */
  #askAtExpiry(): void {
    clearTimeout(this.#expiry);
    if (this.#listeners.size === 0 || this.#snapshot.status !== 'in') return;
    const leftMs = Date.parse(this.#snapshot.session.expires_at) + AFTER_EXPIRY_MS - Date.now();
    const waitMs = leftMs > 0 ? Math.min(leftMs, LONGEST_WAIT_MS) : ONE_MINUTE_MS;
    this.#expiry = setTimeout(this.refresh, waitMs);
  }

  #tellOtherTabs(): void {
    const channel = this.#channel ?? new BroadcastChannel(this.#channelName);
    channel.postMessage('changed');
    // A channel that stays open would hear its own tab.
    if (channel !== this.#channel) channel.close();
  }
}

function loggedIn({ user, session }: LoggedIn): Snapshot {
  return { status: 'in', user, session };
}

function isAbout({ id, org_id }: User, input: Given): boolean {
  return Object.values(input).some((value) => value === id || (org_id !== null && value === org_id));
}
