import { once } from 'node:events';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditEventsService } from '../../audit/audit-events.service.js';
import { Transactions } from '../../audit/transactions.js';
import { Environment } from '../../config/environment.js';
import type { Actor, CallerUser, Recheck } from '../../http/caller.js';
import { TooManyRequests } from '../../http/errors.js';
import { AccountMails } from '../../mail/account-mails.js';
import { LimitCounterRepository } from '../../rate-limits/limit-counter.repository.js';
import { Limits } from '../../rate-limits/limits.js';
import { AuthorityService } from '../../sessions/authority.service.js';
import { EXPORTED_PARTS } from './account-export.js';
import { AccountExportRepository } from './account-export.repository.js';

/** Of how many connections one may be lent to a copy, for as long as its reader takes. */
const CONNECTIONS_A_COPY = 5;

/** A copy takes no longer, unless its reader is slow. */
const RETRY_AFTER_SECONDS = 5;

/** Gives users a copy of what the service holds about them. */
@Injectable()
export class AccountExportService {
  private underWay = 0;

  constructor(
    private readonly copies: AccountExportRepository,
    private readonly events: AuditEventsService,
    private readonly limits: Limits,
    private readonly mails: AccountMails,
    private readonly authority: AuthorityService,
    private readonly environment: Environment,
    private readonly transactions: Transactions,
  ) {}

  /**
   * The copy as a stream of JSON, of which one part is in memory at a time. The owner is told before it begins, because
   * what a thief reads first leaves the service at once. Before each further part the caller is looked at once more, and
   * the stream breaks off where that throws. A copy that did not begin does not count. Throws TooManyRequests, also while
   * too many are under way.
   */
  async export(user: CallerUser, by: Actor, recheck: Recheck): Promise<Readable> {
    const counts = await this.limits.take('exportPerUser', user.id);
    try {
      return await this.inTurn(() => this.begin(user, by, recheck));
    } catch (error) {
      await LimitCounterRepository.giveBack(counts);
      throw error;
    }
  }

  /** Counts a copy from before anything of it waits: those that are asked for at once must not all find room. */
  private async inTurn(begin: () => Promise<Readable>): Promise<Readable> {
    if (this.underWay >= Math.max(1, Math.floor(this.environment.databasePoolSize / CONNECTIONS_A_COPY)))
      throw new TooManyRequests(RETRY_AFTER_SECONDS);
    this.underWay++;
    try {
      return (await begin()).once('close', () => this.underWay--);
    } catch (error) {
      this.underWay--;
      throw error;
    }
  }

  private async begin(user: CallerUser, by: Actor, recheck: Recheck): Promise<Readable> {
    await this.tellOwner(user, by);
    const stream = Readable.from(
      this.copies.inSnapshot((snapshot) => this.textsOf(user.id, snapshot, recheck)),
    );
    // What fails until here is an answer of its own. Only a stream that has begun gives the connection back when it ends.
    await once(stream, 'readable');
    return stream;
  }

  private tellOwner(user: CallerUser, by: Actor): Promise<void> {
    return this.transactions.run(by, async (tx) => {
      await this.authority.assertLoggedIn(tx);
      await this.mails.accountExported(user, tx);
      await tx.record('account.exported', { userId: user.id, orgId: user.orgId });
    });
  }

  private async *textsOf(
    userId: string,
    snapshot: EntityManager,
    recheck: Recheck,
  ): AsyncGenerator<string, void, undefined> {
    yield `{\n"exported_at": ${JSON.stringify(new Date())}`;
    for (const part of EXPORTED_PARTS) {
      if (part !== EXPORTED_PARTS[0]) await recheck();
      const rows = this.copies.rowsOf(part, userId, snapshot);
      yield `,\n"${part.name}": `;
      yield* part.isSingle ? singleOf(rows) : listOf(rows, recheck);
    }
    yield ',\n"audit_events": ';
    yield* listOf(this.events.eventsOf(userId, snapshot), recheck);
    yield '\n}\n';
  }
}

async function* singleOf(rows: AsyncIterable<object[]>): AsyncGenerator<string, void, undefined> {
  for await (const [row = null] of rows) yield textOf(row);
}

async function* listOf(
  rows: AsyncIterable<object[]>,
  recheck: Recheck,
): AsyncGenerator<string, void, undefined> {
  let before = '[';
  for await (const some of rows) {
    if (before !== '[') await recheck();
    for (const row of some) {
      yield `${before}\n${textOf(row)}`;
      before = ',';
    }
  }
  yield before === '[' ? '[]' : '\n]';
}

function textOf(row: object | null): string {
  if (row === null) return 'null';
  const fields = Object.entries(row).map(([name, value]) => [
    name,
    Buffer.isBuffer(value) ? value.toString('base64url') : value,
  ]);
  return JSON.stringify(Object.fromEntries(fields));
}
