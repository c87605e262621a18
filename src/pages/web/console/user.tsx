import { ButtonLink } from '../parts/button.js';
import { addressOf } from '../parts/facts.js';
import { Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import type { User as Reader } from '../parts/session.js';
import { Table } from '../parts/table.js';
import { dayOf } from '../parts/time.js';
import { type Account, readAccount } from './account.js';
import { askedId } from './address-query.js';
import { type AuditEvent, EVENT_COLUMNS, eventRow, namesIn } from './events.js';
import { dayInWords, Plot } from './figures.js';
import { Screen } from './frame.js';
import { latchkey } from './service.js';
import { Deletion } from './user-deletion.js';
import { Profile } from './user-profile.js';
import { UserSessions } from './user-sessions.js';

const LATEST = 10;

/** Where the service stops counting the events of a day. */
const MOST_COUNTED_A_DAY = 100;

/** One user: who they are, where they are logged in, what was done by and to them, and what an admin can do about it. */
export function User() {
  const account = useLoad(() => readAccount(askedId() ?? '-'));
  const title = account.state === 'loaded' ? account.data.user.email : 'User';
  return (
    <Screen title={title} audience="sys_admin">
      {(me) => (
        <Loaded from={account} rows={8} gone="There is no such user.">
          {(data, again) => {
            const isOwn = data.user.id === me.id;
            return (
              <>
                <Profile account={data} isOwn={isOwn} again={again} />
                <UserSessions account={data} again={again} />
                {/* Anew after each act, which is in it then. */}
                <History key={data.readAt} of={data.user} reader={me} />
                {!isOwn && <Deletion account={data} />}
              </>
            );
          }}
        </Loaded>
      )}
    </Screen>
  );
}

function History({ of: { id, created_at }, reader }: { of: Account['user']; reader: Reader }) {
  const events = useLoad(async () => {
    const [{ data }, days] = await Promise.all([
      latchkey.listAuditEvents({ scope: 'all', user_id: id, limit: LATEST }),
      latchkey.listAuditDays({ user_id: id }),
    ]);
    return { data, days: days.data, names: await namesIn(data, reader) };
  });
  const all = new URLSearchParams({ person: id, from: dayOf(new Date(created_at)) });
  return (
    <Section
      name="activity"
      title="Activity"
      acts={
        <ButtonLink weight="words" href={addressOf(`admin/activity?${all}`)}>
          All activity
        </ButtonLink>
      }
    >
      <Loaded from={events} rows={LATEST}>
        {({ data, days, names }) => (
          <>
            <Plot
              title="Events in thirty days"
              days={days}
              of={({ events }) => events}
              limit={MOST_COUNTED_A_DAY}
            />
            {data.length === 0 && (
              <div class="card">
                <p class="empty">Nothing is recorded.</p>
              </div>
            )}
            {byDay(data).map(([day, ofDay]) => (
              <div key={day}>
                <h3>{dayInWords(day)}</h3>
                <div class="card">
                  <Table
                    caption={`Of the last ten events, those of ${dayInWords(day)}, newest first`}
                    columns={EVENT_COLUMNS}
                    rows={ofDay.map((event) => eventRow(event, names))}
                  />
                </div>
              </div>
            ))}
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** Events by their day in UTC, as the plot counts them, in the order of the list. */
function byDay(events: AuditEvent[]): [day: string, events: AuditEvent[]][] {
  const days = new Map<string, AuditEvent[]>();
  for (const event of events) {
    const day = event.created_at.slice(0, 10);
    days.set(day, [...(days.get(day) ?? []), event]);
  }
  return [...days];
}
