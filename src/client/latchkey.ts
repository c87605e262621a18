import { callOver, operationsOver } from './call.js';
import { type paths, ROUTES } from './contract.js';
import { followSession, type SessionStore, type Snapshot } from './session.js';
import { type StepUp, withStepUp } from './step-up.js';
import type { Answer, Arguments, OperationAt, Operations, Route } from './types.js';

export type { paths } from './contract.js';
export { type FieldError, isProblem, LatchkeyProblem, type Reason } from './problem.js';
export type { Session, SessionStore, Snapshot, User } from './session.js';
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

/** Longer than the service works on anything. */
const TIMEOUT_MS = 40_000;

export interface LatchkeyOptions {
  /** Lets the user prove again who they are; without it, `StepUpRequired` is thrown. */
  stepUp?: StepUp | undefined;
  /** In place of the `fetch` of the platform: on a server, one that sends the cookie of its visitor. */
  fetch?: typeof fetch | undefined;
  /** Who is logged in, as a server has found with `sessionFrom`; the client asks again when it is followed. */
  initial?: Snapshot | undefined;
  /** How long an operation may take; 40,000 unless given. */
  timeoutMs?: number | undefined;
}

/** A page that the service brings and a product may lead to. */
export type PageName =
  | 'login'
  | 'signup'
  | 'second-step'
  | 'forgot-password'
  | 'account'
  | 'security'
  | 'billing';

/** The client of a service whose paths are `P`. */
export type Latchkey<P = paths> = Operations & {
  /** Calls any route of the service, also one of the product, such as `GET /reports`. */
  call<R extends Route<P>>(
    route: R,
    ...args: Arguments<OperationAt<P, R>>
  ): Promise<Answer<OperationAt<P, R>>>;
  readonly session: SessionStore;
  /** The address of a page of the service, which leads back to `returnTo`. */
  page(name: PageName, returnTo?: string): string;
};

/** A client of the service at `url`. Cookies always travel with its requests. */
export function createLatchkey<P = paths>(
  url: string,
  { stepUp, fetch, initial, timeoutMs = TIMEOUT_MS }: LatchkeyOptions = {},
): Latchkey<P> {
  const base = url.replace(/\/+$/, '');
  const { session, call } = followSession(
    base,
    withStepUp(callOver({ url: base, fetch, timeoutMs }), stepUp),
    initial,
  );

  return {
    ...operationsOver(call, ROUTES),
    call: call as Latchkey<P>['call'],
    session,
    page: (name, returnTo) =>
      `${base}/ui/${name}${returnTo === undefined ? '' : `?return_to=${encodeURIComponent(returnTo)}`}`,
  };
}
