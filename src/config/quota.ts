/** How often something may happen within a time: `10/15m` is ten times in a quarter of an hour. */
export interface Quota {
  points: number;
  seconds: number;
}

const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };
const MAX_POINTS = 1_000_000;
const MAX_SECONDS = 86_400;

/** Reads `1/1m, 5/1h`, the shortest time first. An entry of another form becomes a quota that `areQuotas` refuses. */
export function quotas(text: string): Quota[] {
  return text
    .split(',')
    .map((entry) => quota(entry.trim()))
    .sort((one, other) => one.seconds - other.seconds);
}

/** A quota as `quotas` reads it. */
export function quotaText({ points, seconds }: Quota): string {
  const [unit, length] = Object.entries(UNIT_SECONDS).findLast(([, length]) => seconds % length === 0) ?? [
    's',
    1,
  ];
  return `${points}/${seconds / length}${unit}`;
}

/** Whether these are quotas to count by, no two of them in the same time. */
export function areQuotas(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  const times = new Set(value.map(({ seconds }: Quota) => seconds));
  return value.every(isQuota) && times.size === value.length;
}

function quota(entry: string): Quota {
  const [, points, length, unit = ''] = /^(\d+)\/(\d+)([smhd])$/.exec(entry) ?? [];
  return { points: Number(points), seconds: Number(length) * (UNIT_SECONDS[unit] ?? Number.NaN) };
}

function isQuota({ points, seconds }: Quota): boolean {
  return points >= 1 && points <= MAX_POINTS && seconds >= 1 && seconds <= MAX_SECONDS;
}
