import { STATUS_CODES } from 'node:http';
import type { Problem } from '../http/problem.js';
import type { Contents } from '../http/route.js';
import { count, type JsonSchema } from '../validation/schema.js';
import { commonProblems } from './common-problems.js';
import { problemSchema, sampleOf } from './problem-schema.js';
import type { Route } from './routes.js';

/** An answer in the document: the schema of its body by media type, and its problems by their codes. */
export interface DocumentedResponse {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, { schema: JsonSchema; examples?: Record<string, object> }>;
}

/** All that a route answers, by status. */
export function responsesOf(route: Route): Record<string, DocumentedResponse> {
  const responses: Record<string, DocumentedResponse> = {};
  for (const [status, contents] of Object.entries(route.successes))
    responses[status] = success(status, contents);

  const problems = problemsOf(route);
  for (const status of new Set(problems.map((problem) => problem.getStatus())))
    responses[status] = failure(problems.filter((problem) => problem.getStatus() === status));
  return responses;
}

/** The problems a route may answer with, each of them once. */
export function problemsOf(route: Route): Problem[] {
  return [...new Set([...route.problems, ...commonProblems(route)])].map(sampleOf);
}

function success(status: string, contents: Contents): DocumentedResponse {
  const hasBody = Object.keys(contents).length > 0;
  return { description: STATUS_CODES[status] ?? '', ...(hasBody && { content: contents }) };
}

function failure(problems: Problem[]): DocumentedResponse {
  const examples = problems.map(({ code }) => [code, { $ref: `#/components/examples/${code}` }]);
  const mayRetry = problems.some(({ extras }) => extras.headers?.['retry-after'] !== undefined);

  return {
    description: problems.map(({ code, message }) => `\`${code}\`: ${message}`).join('\n\n'),
    ...(mayRetry && { headers: { 'Retry-After': { description: 'In seconds.', schema: count } } }),
    content: {
      'application/problem+json': {
        schema: { oneOf: problems.map(problemSchema) },
        examples: Object.fromEntries(examples),
      },
    },
  };
}
