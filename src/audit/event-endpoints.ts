import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { EVENT_TYPES, eventTypesNamed } from '../config/event-types.js';
import type { AuditType } from './acts.js';

/** The compiler refuses a type here that is never recorded. */
const SENT: readonly AuditType[] = EVENT_TYPES;

/** Which endpoints of `SVC_WEBHOOKS` want an event: all that the record of acts knows of webhooks. */
@Injectable()
export class EventEndpoints {
  private readonly names: ReadonlyMap<AuditType, string[]>;

  constructor({ webhooks }: Environment) {
    const endpoints = webhooks.map(({ name, types }) => ({
      name,
      types: new Set<AuditType>(types.flatMap(eventTypesNamed)),
    }));
    this.names = new Map(
      SENT.map((type) => [type, endpoints.filter(({ types }) => types.has(type)).map(({ name }) => name)]),
    );
  }

  /** The names of the endpoints that want events of a type. */
  wanting(type: AuditType): string[] {
    return this.names.get(type) ?? [];
  }
}
