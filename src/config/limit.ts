/** How often something may happen within a time: `10/15m` is ten times in a quarter of an hour. */
export interface Limit {
  max: number;
  seconds: number;
}

const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };
const MAX_COUNT = 1_000_000;
const MAX_SECONDS = 86_400;

/** Reads `1/1m, 5/1h`, the shortest time first. An entry of another form becomes a limit that `areLimits` refuses. */
export function limits(text: string): Limit[] {
  return text
    .split(',')
    .map((entry) => limit(entry.trim()))
    .sort((one, other) => one.seconds - other.seconds);
}

/** A limit as `limits` reads it. */
export function limitText({ max, seconds }: Limit): string {
  const [unit, length] = Object.entries(UNIT_SECONDS).findLast(([, length]) => seconds % length === 0) ?? [
    's',
    1,
  ];
  return `${max}/${seconds / length}${unit}`;
}

/** Whether these are limits to count by, no two of them in the same time. */
export function areLimits(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  const times = new Set(value.map(({ seconds }: Limit) => seconds));
  return value.every(isLimit) && times.size === value.length;
}

function limit(entry: string): Limit {
  const [, max, length, unit = ''] = /^(\d+)\/(\d+)([smhd])$/.exec(entry) ?? [];
  return { max: Number(max), seconds: Number(length) * (UNIT_SECONDS[unit] ?? Number.NaN) };
}

function isLimit({ max, seconds }: Limit): boolean {
  return max >= 1 && max <= MAX_COUNT && seconds >= 1 && seconds <= MAX_SECONDS;
}
