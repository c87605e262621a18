import type { components } from './contract.js';
import type { Code } from './types.js';

/** Why the value of a field is refused, for a page that says it in words of its own. */
export type Reason = components['schemas']['Reason'];

/** A field that is not valid, and why. */
export interface FieldError {
  field: string;
  /** Sentences for developers. */
  messages: string[];
  /** The same for programs, in the same order. */
  reasons: Reason[];
}

/** A problem as it comes from the service, with its other members. */
export interface ProblemBody {
  detail: string;
  [member: string]: unknown;
}

/** What comes of an operation that does not succeed (RFC 9457); members of a product's own problems are there too. */
export class LatchkeyProblem<C extends string = string> extends Error {
  override readonly name = 'LatchkeyProblem';
  /** What to branch on; `Unreachable` where there was no answer, or none of the service. */
  declare readonly code: C;
  /** That of the answer; 0 where there was none. */
  declare readonly status: number;
  declare readonly title: string;
  /** The fields that are not valid, of `ValidationFailed` and `WeakPassword`; empty in other problems. */
  declare readonly errors: FieldError[];
  /** Finds the request in the log of the service. */
  declare readonly request_id: string | null;
  declare readonly retry_after_seconds: number | null;
  /** How the user can prove who they are, of `StepUpRequired`; empty in other problems. */
  declare readonly methods: string[];
  /** The organization that asks for more than the session has, of `OrgPolicyUnmet` and perhaps of `StepUpRequired`. */
  declare readonly org_id: string | null;
  /** What it asks for, and the session lacks; empty in other problems. */
  declare readonly unmet: string[];
  /** What the user can do about it, of `OrgPolicyUnmet`. */
  declare readonly cure: string | null;

  constructor(body: ProblemBody, cause?: unknown) {
    super(body.detail, { cause });
    const none = { request_id: null, retry_after_seconds: null, org_id: null, cure: null };
    Object.assign(this, { errors: [], methods: [], unmet: [], ...none }, body);
  }
}

/** The problem of a request without an answer of the service. */
export function unreachable(status: number, cause: unknown): LatchkeyProblem<'Unreachable'> {
  const detail = 'The service cannot be reached. Please try again.';
  return new LatchkeyProblem({ code: 'Unreachable', title: 'Unreachable', status, detail }, cause);
}

/** Whether an error is a problem; with codes, whether it is one of those. */
export function isProblem(error: unknown): error is LatchkeyProblem;
export function isProblem<C extends Code>(error: unknown, ...codes: C[]): error is LatchkeyProblem<C>;
export function isProblem(error: unknown, ...codes: string[]): boolean {
  // By its name, not its class: an application may have two copies of this package.
  const problem = error as LatchkeyProblem | undefined;
  return problem?.name === 'LatchkeyProblem' && (!codes.length || codes.includes(problem.code));
}
