import type { LatchkeyProblem, Reason } from './problem.js';
import type { User } from './session.js';

/** What a page says in the language of `latchkey-client/words/<language>`. */
export interface Words {
  /** The tag of the language, such as `de`. */
  readonly language: string;
  /** What a problem means to a person. One that is not Latchkey's is said as its `message`: a product knows its own. */
  problem(
    problem: Pick<LatchkeyProblem, 'code' | 'message'> &
      Partial<Pick<LatchkeyProblem, 'request_id' | 'retry_after_seconds' | 'cure' | 'unmet'>>,
  ): string;
  /** Why the value of a field is refused, in a sentence that does not name the field. */
  reason(reason: Reason): string;
  role(role: User['role']): string;
  /** The browser and the system of a `user_agent`, such as that of a session. */
  device(userAgent: string | null): string;
}
