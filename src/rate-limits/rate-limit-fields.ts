import type { Point } from './quota-counter.repository.js';

/** The header fields that tell a client its limits (draft-ietf-httpapi-ratelimit-headers-11). */
export function rateLimitFields(points: Point[]): Record<string, string> {
  if (points.length === 0) return {};
  return {
    'ratelimit-policy': points.map(policyItem).join(', '),
    ratelimit: points.map(limitItem).join(', '),
  };
}

/** Whole seconds until all points are back. */
export function secondsUntilReset({ resetsAt }: Point): number {
  return Math.max(1, Math.ceil((resetsAt - performance.now()) / 1000));
}

function policyItem({ counter: { policy, quota } }: Point): string {
  return `"${policy}";q=${quota.points};w=${quota.seconds}`;
}

function limitItem(point: Point): string {
  const { policy, quota } = point.counter;
  return `"${policy}";r=${Math.max(0, quota.points - point.taken)};t=${secondsUntilReset(point)}`;
}
