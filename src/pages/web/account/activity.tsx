import { WithAddress } from '../parts/address.js';
import { Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import { loadAgain } from '../parts/load-again.js';
import type { Names } from '../parts/names.js';
import { latchkey } from '../parts/service.js';
import type { User } from '../parts/session.js';
import { Table } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { deviceOf } from '../parts/words.js';

const PAGE = 10;

/** What was done by and to the user, newest first. */
export function Activity({ user }: { user: User }) {
  const cursor = new URLSearchParams(location.search).get('cursor');
  const events = useLoad(async () => {
    const [page, words] = await Promise.all([
      latchkey.listAuditEvents({ limit: PAGE, ...(cursor && { cursor }) }),
      import('./activity-words.js').catch(startAgain),
    ]);
    return { ...page, words, names: await namesOfOthers(page.data, user, words) };
  });
  return (
    <Section title="Recent activity">
      <Loaded from={events}>
        {({ data, next_cursor, words, names }) => (
          <>
            <div class="card">
              <Table
                caption="What was done by you and to your account, newest first"
                columns={['What', 'When', 'From']}
                rows={data.map((event) => ({
                  key: event.id,
                  cells: [
                    <>
                      {words.actInWords(event.type)}
                      {event.actor_id !== null && event.actor_id !== user.id && ' (by another user)'}
                      <Concerned {...event} names={names} own={user} words={words} />
                    </>,
                    <Time key="when" at={event.created_at} />,
                    event.ip ? (
                      <Origin key="from" ip={event.ip} device={deviceOf(event.user_agent)} />
                    ) : (
                      'Unknown'
                    ),
                  ],
                }))}
              />
            </div>
            <div class="buttons end">
              {cursor && (
                <a class="button words" href="security#recent-activity">
                  Newest
                </a>
              )}
              {next_cursor && (
                <a
                  class="button words"
                  href={`security?${new URLSearchParams({ cursor: next_cursor })}#recent-activity`}
                >
                  Older
                </a>
              )}
            </div>
          </>
        )}
      </Loaded>
    </Section>
  );
}

type Words = typeof import('./activity-words.js');

/** A replica of another build does not have the file. */
function startAgain(): Promise<never> {
  loadAgain();
  return new Promise(() => {});
}

type AuditEvent = Awaited<ReturnType<typeof latchkey.listAuditEvents>>['data'][number];

/** What an admin calls those to whom they did something. Nobody else does anything to others. */
function namesOfOthers(events: AuditEvent[], user: User, { namesFor }: Words): Promise<Names> {
  const others = events.filter(({ user_id }) => user_id !== user.id);
  return namesFor(latchkey, user, {
    people: others.map(({ user_id }) => user_id),
    orgs: others.map(({ user_id, org_id }) => (user_id === null && org_id !== user.org_id ? org_id : null)),
  });
}

/** To whom it was done, where that was not the user themselves. */
function Concerned({
  user_id,
  org_id,
  names,
  own,
  words,
}: AuditEvent & { names: Names; own: User; words: Words }) {
  if (user_id === own.id) return null;
  const orgName = user_id === null && names.orgs.get(org_id ?? '');
  if (user_id === null && !orgName) return null;
  return (
    <small class="quiet">
      of{' '}
      {user_id === null ? (
        <bdi>{orgName}</bdi>
      ) : (
        <WithAddress>{names.people.get(user_id) ?? words.strangerInWords(user_id, names)}</WithAddress>
      )}
    </small>
  );
}

function Origin({ ip, device }: { ip: string; device: string }) {
  return (
    <div>
      {device}
      <small class="quiet">
        <WithAddress>{ip}</WithAddress>
      </small>
    </div>
  );
}
