import { HttpException } from '@nestjs/common';
import { type Reason, sentenceOf } from '../validation/reasons.js';

/** A field that is not valid, and why. */
export interface FieldError {
  field: string;
  /** Sentences for developers. */
  messages: string[];
  /** The same for programs, in the same order. */
  reasons: Reason[];
}

export function fieldError(field: string, ...reasons: Reason[]): FieldError {
  return { field, messages: reasons.map(sentenceOf), reasons };
}

/** What a problem says besides its code and sentence. */
export interface ProblemExtras {
  /** Members added to the body. */
  members?: Record<string, unknown>;
  /** Headers added to the response. */
  headers?: Record<string, string>;
  /** The setting of the limit that refused the request. */
  limit?: string | undefined;
  /** Whether an operator expects it, so that the log has no line about it. */
  isExpected?: boolean;
}

/** An error a client can get (RFC 9457). Its class name is the `code`, its message the `detail`. */
export abstract class Problem extends HttpException {
  constructor(
    status: number,
    detail: string,
    readonly extras: ProblemExtras = {},
  ) {
    super(detail, status);
  }

  get code(): string {
    return this.constructor.name;
  }

  /** The code as words: `EmailNotVerified` → `Email not verified`. */
  get title(): string {
    return this.code.replace(/(?<!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  }
}

/** The body of a problem (RFC 9457 §3.1); `code` is what clients branch on. */
export function problemBody(problem: Problem, requestId: string, baseApiUrl: string) {
  return {
    type: `${baseApiUrl}/problems/${problem.code}`,
    title: problem.title,
    status: problem.getStatus(),
    code: problem.code,
    detail: problem.message,
    request_id: requestId,
    ...problem.extras.members,
  };
}
