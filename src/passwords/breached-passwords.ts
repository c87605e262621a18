import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { requestBounded } from '../outbound/bounded-request.js';
import { BreachMetrics } from './breach-metrics.js';

/** A person waits for it, with a form that is filled in. */
const TIME_LIMIT_MS = 1_000;

/** Hexadecimal digits of the hash that leave the service; any five begin the hashes of some thousand stolen passwords. */
const PREFIX_LENGTH = 5;

/** The rest of a hash, and how often breaches had it. */
const ENTRY = /^[\dA-F]{35}:\d+$/i;

/**
 * The passwords that breaches of other sites have made public, which attackers try first (NIST SP 800-63B §3.1.1.2).
 * Pwned Passwords lists their SHA-1 hashes. It is asked for a range of them, so that it does not learn which one is
 * meant, and pads its answer, so that its length does not show an observer the range.
 */
@Injectable()
export class BreachedPasswords {
  private readonly logger = new Logger(BreachedPasswords.name);

  constructor(
    private readonly environment: Environment,
    private readonly metrics: BreachMetrics,
  ) {}

  /**
   * Whether a password is known to be stolen. Without an answer it is not: a fault elsewhere must not keep users from
   * choosing a password, least of all one who has to replace a stolen one.
   */
  async have(password: string): Promise<boolean> {
    if (!isBreachCheckOn(this.environment)) return false;
    const outcome = await this.lookUp(password);
    this.metrics.checks.inc({ outcome });
    return outcome === 'breached';
  }

  private async lookUp(password: string): Promise<'breached' | 'clean' | 'unavailable'> {
    const hash = createHash('sha1').update(password).digest('hex').toUpperCase();
    try {
      const range = await this.range(hash.slice(0, PREFIX_LENGTH));
      return Number(range.get(hash.slice(PREFIX_LENGTH)) ?? 0) > 0 ? 'breached' : 'clean';
    } catch (error) {
      const text = 'Pwned Passwords gave no answer, so the service accepts a password without it.';
      this.logger.warn({ event: 'breach_check.failed', err: error }, text);
      return 'unavailable';
    }
  }

  /** The hashes that begin with a prefix, by their rest, and their counts; that of padding is 0. */
  private async range(prefix: string): Promise<Map<string, string>> {
    const { isOk, status, text } = await requestBounded(
      `${this.environment.breachBaseUrl}/range/${prefix}`,
      TIME_LIMIT_MS,
      { headers: { 'add-padding': 'true' } },
    );
    const entries = text.trim().split(/\r?\n/);
    // A page of a proxy, with a 200 or without, says nothing about the password.
    if (!isOk || !entries.every((entry) => ENTRY.test(entry)))
      throw new Error(`Pwned Passwords answered ${status}, and no range of hashes`);
    return new Map(entries.map((entry) => entry.toUpperCase().split(':') as [string, string]));
  }
}

/** In `dev` the service asks nothing of the internet unless its developer says so. */
function isBreachCheckOn({ environment, breachCheck }: Environment): boolean {
  return breachCheck === undefined ? environment !== 'dev' : breachCheck === 'on';
}
