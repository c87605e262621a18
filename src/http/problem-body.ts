import type { Problem } from './problem.js';

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
