import { Ajv2020 } from 'ajv/dist/2020.js';
import { Webhook } from 'standardwebhooks';
import type { WebhookEvent } from '../../src/client/latchkey.js';
import { FORMATS } from './contract.js';
import { document } from './document.js';

/** What an event says of a user. */
export type EventUser = Extract<WebhookEvent, { data: { user: unknown } }>['data']['user'];

const schemas = new Ajv2020({ allErrors: true, formats: FORMATS, strict: false, validateSchema: false });
schemas.addSchema(document, 'document');
const isDocumented = schemas.compile({
  anyOf: Object.keys(document.webhooks).map((name) => ({
    $ref: `document#/webhooks/${name}/post/requestBody/content/application~1json/schema`,
  })),
});

/** What a back end keeps of the users: for each the state with the highest version, null for one that is gone. */
export class EventTable {
  private readonly kept = new Map<string, { version: number; user: EventUser }>();

  /** Of two, either may have signed. */
  constructor(private readonly secrets: string[]) {}

  /**
   * Verifies an event as a receiver does, and keeps its user unless a later state is known. Throws for a forged one, and
   * for one that is not as in the OpenAPI document.
   */
  take(body: string, headers: object): WebhookEvent {
    const event = this.verified(body, headers as Record<string, string>);
    if (!isDocumented(event)) throw new Error(schemas.errorsText(isDocumented.errors));
    if ('user' in event.data) this.keep(event.data.user_id as string, event.data);
    return event;
  }

  /** The users who are there, by id. */
  get users(): Map<string, NonNullable<EventUser>> {
    return new Map([...this.kept].flatMap(([id, { user }]) => (user ? [[id, user]] : [])));
  }

  private keep(id: string, { version, user }: { version: number; user: EventUser }): void {
    const known = this.kept.get(id);
    if (known === undefined || known.version < version) this.kept.set(id, { version, user });
  }

  private verified(body: string, headers: Record<string, string>): WebhookEvent {
    const [secret = '', ...others] = this.secrets;
    try {
      return new Webhook(secret).verify(body, headers) as WebhookEvent;
    } catch (error) {
      if (others.length === 0) throw error;
      return new EventTable(others).verified(body, headers);
    }
  }
}
