import { counted } from '../parts/counted.js';
import { Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import type { Figures } from './schemas.js';
import { latchkey } from './service.js';

/** From here on a day is no longer counted, where the service says so. */
const UNLIMITED = Number.POSITIVE_INFINITY;

/** How many users there are, and what they did on each of thirty days. */
export function FiguresSection() {
  const figures = useLoad(async () => (await latchkey.getFigures()).figures);
  return (
    <Section name="thirty-days" title="Thirty days">
      <Loaded from={figures} rows={4}>
        {({ users, active, days }) => (
          <div class="figures">
            <div class="card figure">
              <h3>Users</h3>
              <p class="large">{users.toLocaleString()}</p>
              <p class="quiet">
                {active ? activeUsers(active) : 'The cron has not counted active users yet.'}
              </p>
            </div>
            <Plot title="New users" days={days} of={(day) => day.new_users} />
            <Plot title="Logins" days={days} of={(day) => day.logins} />
            <Plot title="Failed logins" days={days} of={(day) => day.failed_logins} />
          </div>
        )}
      </Loaded>
    </Section>
  );
}

function activeUsers({ in_seven_days, in_thirty_days }: NonNullable<Figures['active']>): string {
  return `${in_seven_days.toLocaleString()} active in 7 days, ${in_thirty_days.toLocaleString()} in 30`;
}

/** Whether a day of the reader is another one than a day in UTC, as the service counts. */
const isElsewhere = new Date().getTimezoneOffset() !== 0;

/** A bar for each day. What the bars show is said in words as well, for those who do not see them. */
export function Plot<Day extends { day: string }>({
  title,
  days,
  of,
  limit = UNLIMITED,
}: {
  title: string;
  days: Day[];
  of: (day: Day) => number;
  limit?: number;
}) {
  const orMore = (count: number) => (count >= limit ? `${count} or more` : count.toLocaleString());
  const counts = days.map(of);
  const sum = counts.reduce((one, other) => one + other, 0);
  const most = Math.max(...counts);
  const today = counts.at(-1) ?? 0;
  return (
    <div class="card figure">
      <h3>{title}</h3>
      <p class="large">
        {sum.toLocaleString()}
        {most >= limit && ' or more'}
      </p>
      <svg
        viewBox={`0 0 ${counts.length * 4} 32`}
        preserveAspectRatio="none"
        role="img"
        aria-label={
          sum === 0
            ? 'None on any day'
            : `${counted(most, 'time')}${most >= limit ? ' or more' : ''} on ${dayInWords(days[counts.indexOf(most)]?.day ?? '')}, the busiest day`
        }
      >
        {counts.map((count, index) => {
          const height = most === 0 ? 0 : Math.max(count > 0 ? 1 : 0, (count / most) * 30);
          return <rect key={days[index]?.day} x={index * 4} y={31 - height} width={3} height={height + 1} />;
        })}
      </svg>
      <p class="quiet">
        {orMore(today)} today{isElsewhere && ' in UTC'}, {orMore(most)} on the busiest day
      </p>
    </div>
  );
}

/** A day, wherever it is one, as the user's country writes it. */
export function dayInWords(day: string): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString(undefined, {
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  });
}
