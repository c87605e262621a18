import { figure } from '../parts/figure.js';
import { Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import { locale, NUMBERS } from '../parts/locale.js';
import { say, Word } from '../parts/say.js';
import type { Figures } from './schemas.js';
import { latchkey } from './service.js';

/** From here on a day is no longer counted, where the service says so. */
const UNLIMITED = Number.POSITIVE_INFINITY;

/** How many users there are, and what they did on each of thirty days. */
export function FiguresSection() {
  const figures = useLoad(async () => (await latchkey.getFigures()).figures);
  return (
    <Section name="thirty-days" title={say(Word['figures.title'])}>
      <Loaded from={figures} rows={4}>
        {({ users, active, days }) => (
          <div class="figures">
            <div class="card figure">
              <h3>{say(Word['figures.users'])}</h3>
              <p class="large">{NUMBERS.format(users)}</p>
              <p class="quiet">{active ? activeUsers(active) : say(Word['figures.notCounted'])}</p>
            </div>
            <Plot title={say(Word['figures.newUsers'])} days={days} of={(day) => day.new_users} />
            <Plot title={say(Word['figures.logins'])} days={days} of={(day) => day.logins} />
            <Plot title={say(Word['figures.failedLogins'])} days={days} of={(day) => day.failed_logins} />
          </div>
        )}
      </Loaded>
    </Section>
  );
}

function activeUsers({ in_seven_days, in_thirty_days }: NonNullable<Figures['active']>): string {
  return say(Word['figures.active'], { week: in_seven_days, month: in_thirty_days });
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
  const counts = days.map(of);
  const sum = counts.reduce((one, other) => one + other, 0);
  const most = Math.max(...counts);
  const today = counts.at(-1) ?? 0;
  return (
    <div class="card figure">
      <h3>{title}</h3>
      <p class="large">{figure(sum, most < limit ? UNLIMITED : 0)}</p>
      <svg
        viewBox={`0 0 ${counts.length * 4} 32`}
        preserveAspectRatio="none"
        role="img"
        aria-label={
          sum === 0
            ? say(Word['figures.none'])
            : say(Word['figures.busiest'], {
                count: most,
                figure: figure(most, limit),
                busiest: dayInWords(days[counts.indexOf(most)]?.day ?? ''),
              })
        }
      >
        {counts.map((count, index) => {
          const height = most === 0 ? 0 : Math.max(count > 0 ? 1 : 0, (count / most) * 30);
          return <rect key={days[index]?.day} x={index * 4} y={31 - height} width={3} height={height + 1} />;
        })}
      </svg>
      <p class="quiet">
        {say(isElsewhere ? Word['figures.todayUtc'] : Word['figures.today'], {
          today: figure(today, limit),
          most: figure(most, limit),
        })}
      </p>
    </div>
  );
}

/** A day, wherever it is one, as the user's country writes it. */
export function dayInWords(day: string): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString(locale, {
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  });
}
