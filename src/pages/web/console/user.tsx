import { ButtonLink } from '../parts/button.js';
import { addressOf } from '../parts/facts.js';
import { Section } from '../parts/frame.js';
import { Loaded, type Loading, useLoad } from '../parts/load.js';
import { say, Word } from '../parts/say.js';
import type { User as Reader } from '../parts/session.js';
import { Table } from '../parts/table.js';
import { dayOf } from '../parts/time.js';
import { type Account, readAccount } from './account.js';
import { withActWords } from './act-words.js';
import { askedId } from './address-query.js';
import { type AuditEvent, eventColumns, eventRow } from './events.js';
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
  const id = askedId() ?? '-';
  const account = useLoad(() => readAccount(id));
  const history = useLoad(() => readHistory(id));
  // Each act is in the history then.
  const again = async () => {
    await Promise.all([account.again(), history.again()]);
  };
  const title = account.state === 'loaded' ? account.data.user.email : say(Word['user.title']);
  return (
    <Screen title={title} audience="sys_admin">
      {(me) => (
        <Loaded from={account} rows={8} gone={say(Word['user.gone'])}>
          {(data) => {
            const isOwn = data.user.id === me.id;
            return (
              <>
                <Profile account={data} isOwn={isOwn} again={again} />
                <UserSessions account={data} again={again} />
                <History of={data.user} from={history} reader={me} />
                {!isOwn && <Deletion account={data} />}
              </>
            );
          }}
        </Loaded>
      )}
    </Screen>
  );
}

async function readHistory(user_id: string) {
  const [{ data }, days] = await Promise.all([
    withActWords(latchkey.listAuditEvents({ scope: 'all', user_id, limit: LATEST })),
    latchkey.listAuditDays({ user_id }),
  ]);
  return { data, days: days.data };
}

function History({
  of: { id, created_at },
  from,
  reader,
}: {
  of: Account['user'];
  from: Loading<Awaited<ReturnType<typeof readHistory>>>;
  reader: Reader;
}) {
  const all = new URLSearchParams({ person: id, from: dayOf(new Date(created_at)) });
  return (
    <Section
      name="activity"
      title={say(Word['user.activity'])}
      acts={
        <ButtonLink weight="words" href={addressOf(`admin/activity?${all}`)}>
          {say(Word['user.activity.all'])}
        </ButtonLink>
      }
    >
      <Loaded from={from} rows={LATEST}>
        {({ data, days }) => (
          <>
            <Plot
              title={say(Word['user.activity.plot'])}
              days={days}
              of={({ events }) => events}
              limit={MOST_COUNTED_A_DAY}
            />
            {data.length === 0 && (
              <div class="card">
                <p class="empty">{say(Word['user.activity.none'])}</p>
              </div>
            )}
            {byDay(data).map(([day, ofDay]) => (
              <div key={day} class="day">
                <h3>{dayInWords(day)}</h3>
                <div class="card">
                  <Table
                    caption={say(Word['user.activity.caption'], { date: dayInWords(day) })}
                    columns={eventColumns()}
                    rows={ofDay.map((event) => eventRow(event, reader))}
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

/** Events by their day where the reader is, as their times are shown, in the order of the list. */
function byDay(events: AuditEvent[]): [day: string, events: AuditEvent[]][] {
  const days = new Map<string, AuditEvent[]>();
  for (const event of events) {
    const day = dayOf(new Date(event.created_at));
    days.set(day, [...(days.get(day) ?? []), event]);
  }
  return [...days];
}
