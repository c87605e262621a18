const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

const FORMS = { moment: MOMENT, day: DAY, clock: CLOCK };

/** An instant as the user's country writes it; its title has the exact one. */
export function Time({ at, as = 'moment' }: { at: string; as?: keyof typeof FORMS }) {
  const instant = new Date(at);
  return (
    <time dateTime={at} title={EXACT.format(instant)}>
      {FORMS[as].format(instant)}
    </time>
  );
}

/** The day of an instant in the time zone of the browser, as a field for days takes it. */
export function dayOf(instant: Date): string {
  const parts = [instant.getFullYear(), instant.getMonth() + 1, instant.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}
