import type { EventSubject } from '../config/event-types.js';
import { EVENT_SCHEMAS, TestEventSchema } from '../events/event-payload.js';
import type { JsonSchema } from '../validation/schema.js';

const SUMMARIES: Record<EventSubject, string> = {
  user: 'What happened to a user or to their sessions, and the user as they are now, null once they are gone.',
  org: 'What happened to an organization, and the organization as it is now, null once it is gone.',
  role: 'An organization composed a role, changed or removed it; the role as it is now, null once it is gone.',
  subscription: 'A subscription changed, of an organization, else of a user; the subscription as it is now.',
};

const DESCRIPTION =
  'Sent to the endpoints of `SVC_WEBHOOKS` that want the type, signed as Standard Webhooks 1.0 says. Keep, of each ' +
  'subject, the state with the highest `version`: events come at least once, and in any order.';

/** What endpoints are sent, as the webhooks of an OpenAPI document. */
export function webhooksOfDocument() {
  const subjects = Object.entries(EVENT_SCHEMAS).map(([subject, schema]) => [
    subject,
    { post: requestOf(schema, SUMMARIES[subject as EventSubject]) },
  ]);
  const test = { post: requestOf(TestEventSchema, 'What `npm run cli -- webhook test` sends.') };
  return { ...Object.fromEntries(subjects), test } as Record<
    EventSubject | 'test',
    { post: ReturnType<typeof requestOf> }
  >;
}

function requestOf(schema: JsonSchema, summary: string) {
  return {
    summary,
    description: DESCRIPTION,
    parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
      name,
      in: 'header',
      required: true,
      schema: { type: 'string' },
    })),
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: { '2XX': { description: 'The event is taken. No part of the body is read.' } },
  };
}
