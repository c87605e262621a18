import { Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Environment } from '../config/environment.js';
import { within } from '../database/time-limit.js';
import type { Link, PlacedEvent } from './audit-chains.repository.js';
import { recordView } from './audit-event.view.js';

/** A log that takes longer is blocked; the chain in the database must not wait for it. */
const FLUSH_LIMIT_MS = 1_000;

/**
 * Writes each linked event to the log as well: where the log is shipped to another machine, an attacker who changes the
 * table does not change the copy.
 */
@Injectable()
export class AuditLog {
  private log: Logger | null = null;

  constructor(private readonly environment: Environment) {}

  /** The command line has no log of its own, and links nothing. */
  writeTo(log: Logger): void {
    if (this.environment.auditLog === 'on') this.log = log;
  }

  /** Resolves once the lines have left the process, so that not even a crash right after the commit loses one. */
  async write(events: (PlacedEvent & Link)[]): Promise<void> {
    const { log } = this;
    if (log === null || events.length === 0) return;
    for (const event of events) log.info(lineOf(event), 'An act was recorded.');
    const flushed = new Promise<void>((resolve) => log.flush(() => resolve()));
    await within(FLUSH_LIMIT_MS, flushed).catch(() => {});
  }
}

function lineOf(placed: PlacedEvent & Link) {
  const { id, type, created_at, ...about } = recordView(placed);
  const { chainId, position, hash } = placed;
  return {
    event: type,
    audit_id: id,
    at: created_at,
    ...about,
    chain: chainId,
    position,
    hash: hash.toString('hex'),
  };
}
