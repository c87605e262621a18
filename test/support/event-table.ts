import { Webhook } from 'standardwebhooks';
import type { Role } from '../../src/http/role.js';

/** A user as an event holds one. */
export interface EventUser {
  id: string;
  email: string;
  role: `${Role}`;
  [field: string]: unknown;
}

/** An event as a back end reads it. */
export interface ReceivedEvent {
  type: string;
  timestamp: string;
  data: {
    actor_id: string | null;
    user_id: string | null;
    org_id: string | null;
    details: Record<string, unknown>;
    version: number;
    user?: EventUser | null;
    org?: { id: string; name: string; member_count: number } | null;
    subscription?: { status: string } | null;
  };
}

/** What a back end keeps of the users: for each the state with the highest version, null for one that is gone. */
export class EventTable {
  private readonly kept = new Map<string, { version: number; user: EventUser | null }>();

  constructor(private readonly secrets: string[]) {}

  /** Verifies an event as a receiver does, and keeps its user unless a later state is known. Throws for a forged one. */
  take(body: string, headers: Record<string, unknown>): ReceivedEvent {
    const event = this.verified(body, headers as Record<string, string>);
    const { user_id: id, user, version } = event.data;
    const known = id === null ? undefined : this.kept.get(id);
    if (id !== null && user !== undefined && (known?.version ?? 0) < version)
      this.kept.set(id, { version, user });
    return event;
  }

  /** The users who are there, by id. */
  get users(): Map<string, EventUser> {
    return new Map([...this.kept].flatMap(([id, { user }]) => (user ? [[id, user]] : [])));
  }

  private verified(body: string, headers: Record<string, string>): ReceivedEvent {
    const failures: unknown[] = [];
    for (const secret of this.secrets)
      try {
        return new Webhook(secret).verify(body, headers) as ReceivedEvent;
      } catch (error) {
        failures.push(error);
      }
    throw failures[0];
  }
}
