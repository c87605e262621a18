import { Injectable } from '@nestjs/common';
import { tryLock } from '../database/advisory-lock.js';
import { THE_SERVICE } from '../http/caller.js';
import type { Job } from '../queues/job-loop.js';
import { AuditChainsRepository } from './audit-chains.repository.js';
import { AuditHash } from './audit-hash.js';
import { AuditLog } from './audit-log.js';
import { Transactions } from './transactions.js';

const BATCH = 500;

/**
 * Links new events into the chain of their organization. Not in the transaction of the act: all acts of an
 * organization would wait for one another. No act wakes the linker: it looks for new events every five seconds.
 */
@Injectable()
export class AuditLinker implements Job {
  readonly name = 'audit';

  constructor(
    private readonly transactions: Transactions,
    private readonly chains: AuditChainsRepository,
    private readonly hash: AuditHash,
    private readonly log: AuditLog,
  ) {}

  async work(signal: AbortSignal): Promise<null> {
    while (!signal.aborted && (await this.linkOldest()) === BATCH);
    return null;
  }

  /** Links some events, one replica at a time, and returns how many. */
  private linkOldest(): Promise<number> {
    return this.transactions.run(THE_SERVICE, async (tx) => {
      if (!(await tryLock('link-audit-events', tx))) return 0;
      const events = await this.chains.placeOldest(BATCH, tx);
      const ids = events.map(({ chainId }) => chainId);
      const heads = await this.chains.headHashes(ids, tx);

      const linked = events.map((event) => {
        const hash = this.hash.of(event.text, heads.get(event.chainId));
        heads.set(event.chainId, hash);
        return { ...event, hash };
      });
      await this.chains.saveLinks(linked, tx);
      // Before the commit: a line may come twice, when the commit fails, but none is missing.
      await this.log.write(linked);
      return events.length;
    });
  }
}
