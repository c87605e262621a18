import type { Code } from '../../../client/types.js';
import { waitOf } from '../../../words/wait.js';
import { sayProblem } from './say.js';

/** What a page needs of a problem to say it. */
interface Told {
  code: string;
  request_id?: string | null;
  retry_after_seconds?: number | null;
  cure?: string | null;
  unmet?: string[];
}

/**
 * What a problem means to a person. A product in the same process, or a newer service, may have codes of its own; each code
 * of the contract has its text, or this does not compile.
 */
export function problemInWords({ code, request_id, retry_after_seconds, cure, unmet }: Told): string {
  return sayProblem(code as Code satisfies Parameters<typeof sayProblem>[0], {
    request: request_id ?? '–',
    cure: cure ?? 'none',
    asked: unmet?.[0] ?? 'none',
    ...waitOf(retry_after_seconds ?? 0),
  });
}
