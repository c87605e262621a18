import type { AuditType } from '../../../src/audit/audit-types.js';

/**
 * An answer that took longer waited for more than a connection, and so does not count as recovered, whatever it says.
 */
const SLOW_MS = 4_000;

/** A write that the service has said is done. */
export interface Acknowledged {
  /** The audit event that is written with it. */
  event: AuditType;
  /** The account it is about. */
  email: string;
  /** What distinguishes the row from others: its id, or a number that only grows. */
  fact: string | null;
}

/** The answer to a request; `cut` when its connection broke. */
export interface Said {
  what: string;
  status: number | 'cut';
  expected: number;
  tookMs: number;
}

/** When something was broken, in milliseconds of `performance.now()`. */
interface Fault {
  beganAt: number;
  endedAt: number;
}

/** What the service has said under a load: every write it acknowledged, every answer it should not have given. */
export class Ledger {
  readonly acknowledged: Acknowledged[] = [];

  /** Answers that neither the contract nor a fault explains. */
  readonly strange: string[] = [];

  requests = 0;
  unavailable = 0;
  cut = 0;
  longestAnswerMs = 0;

  /** The longest time from one acknowledged write to the next. */
  longestWithoutWriteMs = 0;
  private lastWriteAt = Number.POSITIVE_INFINITY;

  private readonly faults: Fault[] = [];
  private readonly setbacksAt: number[] = [];

  acknowledge(event: AuditType, email: string, fact: string | number | null = null): void {
    const now = performance.now();
    this.longestWithoutWriteMs = Math.max(this.longestWithoutWriteMs, now - this.lastWriteAt);
    this.lastWriteAt = now;
    this.acknowledged.push({ event, email, fact: fact === null ? null : String(fact) });
  }

  hear({ what, status, expected, tookMs }: Said): void {
    this.requests += 1;
    this.longestAnswerMs = Math.max(this.longestAnswerMs, tookMs);
    if (status === 503) this.unavailable += 1;
    if (status === 'cut') this.cut += 1;

    const isExplained = status === expected || status === 503 || status === 'cut';
    if (!isExplained) this.strange.push(`${what} answered ${status} instead of ${expected}`);
    if (status !== expected || tookMs > SLOW_MS) this.setbacksAt.push(performance.now());
  }

  /** Notes when something is broken: what goes wrong meanwhile is not part of the recovery. */
  async during<T>(fault: () => Promise<T>): Promise<T> {
    const times = { beganAt: performance.now(), endedAt: Number.POSITIVE_INFINITY };
    this.faults.push(times);
    return fault().finally(() => {
      times.endedAt = performance.now();
    });
  }

  /** The longest time from the end of a fault to the last answer that still suffered from it. */
  get longestRecoveryMs(): number {
    const recoveries = this.faults.map(({ endedAt }, index) => {
      const nextBeganAt = this.faults[index + 1]?.beganAt ?? Number.POSITIVE_INFINITY;
      const setbacks = this.setbacksAt.filter((at) => at > endedAt && at < nextBeganAt);
      return (setbacks.at(-1) ?? endedAt) - endedAt;
    });
    return Math.max(0, ...recoveries);
  }

  get figures(): string {
    return [
      `${this.requests} requests`,
      `${this.acknowledged.length} acknowledged writes`,
      `${this.unavailable} answers 503`,
      `${this.cut} cut off`,
      `longest recovery ${seconds(this.longestRecoveryMs)}`,
      `longest answer ${seconds(this.longestAnswerMs)}`,
      `longest without a write ${seconds(this.longestWithoutWriteMs)}`,
    ].join(', ');
  }
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
