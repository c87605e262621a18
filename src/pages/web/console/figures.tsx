import { counted } from '../parts/counted.js';
import { Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import type { Figures } from './schemas.js';
import { latchkey } from './service.js';

type Day = Figures['days'][number];

/** How many users there are, and what they did on each of thirty days. */
export function FiguresSection() {
  const figures = useLoad(async () => (await latchkey.getFigures()).figures);
  return (
    <Section title="Thirty days">
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

/** A bar for each day. What the bars show is said in words as well, for those who do not see them. */
function Plot({ title, days, of }: { title: string; days: Day[]; of: (day: Day) => number }) {
  const counts = days.map(of);
  const sum = counts.reduce((one, other) => one + other, 0);
  const most = Math.max(...counts);
  const today = counts.at(-1) ?? 0;
  return (
    <div class="card figure">
      <h3>{title}</h3>
      <p class="large">{sum.toLocaleString()}</p>
      <svg
        viewBox={`0 0 ${counts.length * 4} 32`}
        preserveAspectRatio="none"
        role="img"
        aria-label={
          sum === 0
            ? 'None on any day'
            : `${counted(most, 'time')} on ${dayIn(days, counts.indexOf(most))}, the busiest day`
        }
      >
        {counts.map((count, index) => {
          const height = most === 0 ? 0 : Math.max(count > 0 ? 1 : 0, (count / most) * 30);
          return <rect key={days[index]?.day} x={index * 4} y={31 - height} width={3} height={height + 1} />;
        })}
      </svg>
      <p class="quiet">
        {today.toLocaleString()} today, {most.toLocaleString()} on the busiest day
      </p>
    </div>
  );
}

/** Days are counted in UTC, and written as the user's country does. */
function dayIn(days: Day[], index: number): string {
  const day = new Date(`${days[index]?.day}T00:00:00Z`);
  return day.toLocaleDateString(undefined, { day: 'numeric', month: 'long', timeZone: 'UTC' });
}
