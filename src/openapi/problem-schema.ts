import { REQUIREMENTS } from '../http/org-policy.js';
import { type Problem, problemBody } from '../http/problem.js';
import type { DocumentedProblem } from '../http/route.js';
import { REASON_CODES } from '../validation/reasons.js';
import {
  count,
  type Fields,
  type JsonSchema,
  list,
  NAME,
  object,
  oneOf,
  text,
  uuid,
} from '../validation/schema.js';

const SOME_REQUEST_ID = '01a1fab1-b331-7244-ab8e-0fcc455f8898';

/** Bounds are given only where the reason has them. */
const REASON: JsonSchema = {
  [NAME]: 'Reason',
  type: 'object',
  properties: { code: oneOf(REASON_CODES), min: count, max: count, choices: list(text) },
  required: ['code'],
  additionalProperties: false,
};

/** What a session lacks of what an organization asks for. */
const UNMET = list(oneOf(REQUIREMENTS));

/** What a problem says besides what all of them say. */
const MEMBERS: Record<string, JsonSchema> = {
  errors: list(object({ field: text, messages: list(text), reasons: list(REASON) })),
  org_id: uuid,
  unmet: UNMET,
  cure: text,
};

/** What only some problems of a code say. */
const SOMETIMES: Record<string, Fields> = {
  ServiceUnavailable: { down: list(text) },
  StepUpRequired: { org_id: uuid, unmet: UNMET },
  LastOrgAdmin: { org_ids: list(uuid) },
};

/** A problem of a class. */
export function sampleOf(documented: DocumentedProblem): Problem {
  return 'example' in documented ? documented.example : new documented();
}

/** The schema of the body of a problem; other members may come (RFC 9457 §3.2). */
export function problemSchema(problem: Problem): JsonSchema {
  const members = Object.keys(problem.extras.members ?? {}).map((member) => [member, MEMBERS[member] ?? {}]);
  const properties = {
    type: { type: 'string', format: 'uri' },
    title: { const: problem.title },
    status: { const: problem.getStatus() },
    code: { const: problem.code },
    detail: text,
    request_id: text,
    ...Object.fromEntries(members),
  };
  return {
    [NAME]: problem.code,
    type: 'object',
    properties: { ...properties, ...SOMETIMES[problem.code] },
    required: Object.keys(properties),
  };
}

/** The body of a problem, as a client could get it. */
export function problemExample(problem: Problem, baseApiUrl: string) {
  return { value: problemBody(problem, SOME_REQUEST_ID, baseApiUrl) };
}
