import type { Counted } from './limit-counter.repository.js';

/** The header fields that tell a client its limits (draft-ietf-httpapi-ratelimit-headers-11). */
export function rateLimitFields(counts: Counted[]): Record<string, string> {
  if (counts.length === 0) return {};
  return {
    'ratelimit-policy': counts.map(policyItem).join(', '),
    ratelimit: counts.map(limitItem).join(', '),
  };
}

/** Whole seconds until the count begins anew. */
export function secondsUntilReset({ resetsAt }: Counted): number {
  return Math.max(1, Math.ceil((resetsAt - performance.now()) / 1000));
}

function policyItem({ counter: { policy, limit } }: Counted): string {
  return `"${policy}";q=${limit.max};w=${limit.seconds}`;
}

function limitItem(count: Counted): string {
  const { policy, limit } = count.counter;
  return `"${policy}";r=${Math.max(0, limit.max - count.taken)};t=${secondsUntilReset(count)}`;
}
