import { callOver, operationsOver } from './call.js';
import { type paths, ROUTES } from './contract.js';
import { followSession, type SessionStore, type Snapshot } from './session.js';
import { type StepUp, withStepUp } from './step-up.js';
import type {
  Answer,
  Arguments,
  ArgumentsInOrg,
  OperationAt,
  Operations,
  OperationsInOrg,
  Route,
} from './types.js';

export type { paths } from './contract.js';
export { type FieldError, isProblem, LatchkeyProblem, type Reason } from './problem.js';
export type { OrganizationOfUser, Session, SessionStore, Snapshot, User } from './session.js';
export type { StepUp } from './step-up.js';
export type {
  Answer,
  Arguments,
  CallOptions,
  Code,
  CodesOf,
  Input,
  OperationAt,
  Operations,
  Route,
  WebhookEvent,
} from './types.js';
export type { Words } from './words.js';

/**
 * What a product declares, for the compiler: `npm run cli -- permissions types` writes the names of its permissions into
 * this interface. Without it, any name compiles.
 */
// biome-ignore lint/suspicious/noEmptyInterface: a product fills it.
export interface Declared {}

export type PermissionName = Declared extends { permission: infer Name extends string } ? Name : string;

/** Longer than the service works on anything. */
const TIMEOUT_MS = 40_000;

export interface LatchkeyOptions {
  /** Lets the user prove again who they are; without it, `StepUpRequired` is thrown. */
  stepUp?: StepUp | undefined;
  /** In place of the `fetch` of the platform: on a server, one that sends the cookie of its visitor. */
  fetch?: typeof fetch | undefined;
  /** Who is logged in, as a server has found with `sessionFrom`; the client asks again when it is followed. */
  initial?: Snapshot | undefined;
  /** The language of the page, such as `de`, in which the service then mails what was asked for; unless given, the browser's. */
  locale?: (() => string | undefined) | undefined;
  /** How long an operation may take; 40,000 unless given. */
  timeoutMs?: number | undefined;
}

/** A page that the service brings and a product may lead to. */
export type PageName =
  | 'login'
  | 'login-code'
  | 'signup'
  | 'second-step'
  | 'forgot-password'
  | 'account'
  | 'security'
  | 'billing';

/** What every client of a service has. */
interface Base {
  readonly session: SessionStore;
  /** The address of a page of the service, which leads back to `returnTo`; in a language, or else in that of the browser. */
  page(name: PageName, returnTo?: string, options?: { locale?: string | undefined }): string;
}

/** The client of a service whose paths are `P`. */
export type Latchkey<P = paths> = Base &
  Operations & {
    /** Calls any route of the service, also one of the product, such as `GET /reports`. */
    call<R extends Route<P>>(
      route: R,
      ...args: Arguments<OperationAt<P, R>>
    ): Promise<Answer<OperationAt<P, R>>>;
    /**
     * The client in an organization: each request that is not of the person themselves is for it, and `session` says who the
     * user is there. With null, requests are for no organization. The same id gives the same object, and nothing is stored.
     */
    in(orgId: string | null): LatchkeyInOrg<P>;
  };

/** The client in an organization. */
export type LatchkeyInOrg<P = paths> = Base &
  OperationsInOrg<typeof ROUTES> & {
    call<R extends Route<P>>(
      route: R,
      ...args: ArgumentsInOrg<OperationAt<P, R>, R>
    ): Promise<Answer<OperationAt<P, R>>>;
    in(orgId: string | null): LatchkeyInOrg<P>;
  };

/** A client of the service at `url`. Cookies always travel with its requests. */
export function createLatchkey<P = paths>(
  url: string,
  { stepUp, fetch, initial, locale, timeoutMs = TIMEOUT_MS }: LatchkeyOptions = {},
): Latchkey<P> {
  const base = url.replace(/\/+$/, '');
  const proven = withStepUp(stepUp);
  const bound = new Map<string | null, Latchkey<P>>();
  return clientOf();

  function clientOf(org?: string | null): Latchkey<P> {
    const isBound = org !== undefined;
    const send = proven(callOver({ url: base, org, fetch, locale, timeoutMs }));
    const { session, call } = followSession(base, send, isBound ? undefined : initial, isBound);
    return {
      ...operationsOver(call, ROUTES),
      call: call as Latchkey<P>['call'],
      session,
      page,
      in: inOrg as unknown as Latchkey<P>['in'],
    };
  }

  function inOrg(orgId: string | null): Latchkey<P> {
    const client = bound.get(orgId) ?? clientOf(orgId);
    bound.set(orgId, client);
    return client;
  }

  function page(
    name: PageName,
    returnTo?: string,
    { locale: language }: { locale?: string | undefined } = {},
  ): string {
    const given = Object.entries({ return_to: returnTo, ui_locales: language }).filter(([, value]) => value);
    const query = new URLSearchParams(given as [string, string][]);
    return `${base}/ui/${name}${given.length ? `?${query}` : ''}`;
  }
}
