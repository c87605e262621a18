const DAY_MS = 86_400_000;

/** A day in UTC, as `2026-11-26`. */
export type Day = string;

/** The day of an instant, in UTC. */
export function dayOf(instant: Date): Day {
  return instant.toISOString().slice(0, 10);
}

/** The last so many days up to that of an instant, the oldest first. */
export function daysUntil(instant: Date, length: number): Day[] {
  return Array.from({ length }, (_, index) =>
    dayOf(new Date(instant.getTime() - (length - 1 - index) * DAY_MS)),
  );
}

/** When a day begins and ends, in milliseconds. */
export function boundsOf(day: Day): { startsAt: number; endsAt: number } {
  const startsAt = Date.parse(day);
  return { startsAt, endsAt: startsAt + DAY_MS };
}
