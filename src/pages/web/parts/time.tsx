import { useEffect, useState } from 'preact/hooks';
import { locale, MOMENTS } from './locale.js';

const DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const CLOCK = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const EXACT = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' });
const AGO = new Intl.RelativeTimeFormat(locale, { style: 'short', numeric: 'auto' });

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** From this age on, the date says more than the count of days. */
const OLD_MS = 7 * DAY_MS;

const FORMS = {
  ago,
  moment: (instant: Date) => MOMENTS.format(instant),
  day: (instant: Date) => DAY.format(instant),
  clock: (instant: Date) => CLOCK.format(instant),
};

const shown = new Set<() => void>();
setInterval(() => {
  for (const showAgain of shown) showAgain();
}, MINUTE_MS);

/** An instant as the user's country writes it, by default how long ago it was; its title has the exact one. */
export function Time({ at, as = 'ago' }: { at: string; as?: keyof typeof FORMS }) {
  const [, setTurns] = useState(0);
  useEffect(() => {
    if (as !== 'ago') return;
    const showAgain = () => setTurns((turns) => turns + 1);
    shown.add(showAgain);
    return () => shown.delete(showAgain);
  }, [as]);
  const instant = new Date(at);
  return (
    <time dateTime={at} title={EXACT.format(instant)}>
      {FORMS[as](instant)}
    </time>
  );
}

/** `2 min. ago`; the date and time of what is a week old, or still to come. A clock that is a minute slow makes no future. */
function ago(instant: Date): string {
  const age = Date.now() - instant.getTime();
  if (age >= OLD_MS || age < -MINUTE_MS) return MOMENTS.format(instant);
  if (age < MINUTE_MS) return AGO.format(0, 'second');
  if (age < HOUR_MS) return AGO.format(-Math.floor(age / MINUTE_MS), 'minute');
  if (age < DAY_MS) return AGO.format(-Math.floor(age / HOUR_MS), 'hour');
  return AGO.format(-calendarDays(instant), 'day');
}

/** How many midnights lie between an instant and now: what was two evenings ago is not yesterday. */
function calendarDays(instant: Date): number {
  const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  return Math.round((midnight(new Date()) - midnight(instant)) / DAY_MS);
}

/** The day of an instant in the time zone of the browser, as a field for days takes it. */
export function dayOf(instant: Date): string {
  const parts = [instant.getFullYear(), instant.getMonth() + 1, instant.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}
