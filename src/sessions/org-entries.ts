import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Entry, OrgEntriesRepository } from '../accounts/org-entries.repository.js';
import { Transactions } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import { actorOf, type Caller, THE_SERVICE } from '../http/caller.js';
import { isActiveMember } from '../http/org-of-request.js';

const FLUSH_AFTER_MS = 2_000;
const NOTED_AGAIN_AFTER_MS = 60_000;

/** Beyond so many entries this process forgets which it has noted lately, and notes them once more than it had to. */
const MOST_REMEMBERED = 50_000;

/** So that the transaction of a batch is short. */
const WRITTEN_TOGETHER = 200;

/**
 * Notes when members enter their organizations: gathered, and written off the request's path, at most once a minute each. The
 * first entry of each session is recorded where users can belong to several organizations: their logins are recorded in none.
 */
@Injectable()
export class OrgEntries implements BeforeApplicationShutdown {
  private readonly logger = new Logger(OrgEntries.name);
  private readonly notedAt = new Map<string, number>();
  /** By session and organization. */
  private gathered = new Map<string, Entry>();
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> = Promise.resolve();

  constructor(
    private readonly entries: OrgEntriesRepository,
    private readonly transactions: Transactions,
    private readonly environment: Environment,
  ) {}

  /** Notes a request into an organization, unless its caller is a SYSTEM_ADMIN, who is no member or acts for one. */
  note(caller: Caller, request: FastifyRequest): void {
    const { user, session, membership } = caller;
    if (!membership || session.acting || !isActiveMember(caller)) return;
    const key = `${session.id} ${membership.id}`;
    const now = Date.now();
    if (now - (this.notedAt.get(key) ?? 0) < NOTED_AGAIN_AFTER_MS) return;

    if (this.notedAt.size >= MOST_REMEMBERED) this.notedAt.clear();
    this.notedAt.set(key, now);
    const { ip, userAgent } = actorOf(request);
    if (!this.gathered.has(key))
      this.gathered.set(key, { sessionId: session.id, userId: user.id, orgId: membership.id, ip, userAgent });
    this.timer ??= setTimeout(() => this.flush(), FLUSH_AFTER_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  /** Writes what was gathered, once what was gathered before is written. */
  private flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const gathered = [...this.gathered];
    this.gathered = new Map();
    this.flushing = this.flushing.then(async () => {
      while (gathered.length > 0) await this.writeSome(gathered.splice(0, WRITTEN_TOGETHER));
    });
    return this.flushing;
  }

  /** What fails is only logged: the next request of the session notes it again. */
  private async writeSome(some: [key: string, entry: Entry][]): Promise<void> {
    try {
      await this.write(some.map(([, entry]) => entry));
    } catch (error) {
      for (const [key] of some) this.notedAt.delete(key);
      const fields = { event: 'org.entries_failed', err: error };
      this.logger.warn(fields, 'The service could not note who entered some organizations.');
    }
  }

  /** The events first, and in a transaction of their own: they wait for the disk while no membership is locked. */
  private async write(entries: Entry[]): Promise<void> {
    if (this.environment.orgsPerUser > 1)
      await this.transactions.run(THE_SERVICE, async (tx) => {
        for (const { userId, orgId, ip, userAgent } of await this.entries.insertFirst(entries, tx))
          await tx.as({ userId, ip, userAgent }).record('member.entered', { userId, orgId });
      });
    await this.transactions.run(THE_SERVICE, (tx) => this.entries.touch(entries, tx));
  }
}
