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
