import { describeFinding, type Finding } from './preflight/finding.js';

/** The process cannot go on, and an operator can mend that: the message says what is wrong and how to fix it. */
export class OperatorError extends Error {
  constructor(readonly finding: Finding) {
    super(describeFinding(finding));
  }
}
