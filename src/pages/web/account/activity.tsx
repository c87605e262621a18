import { Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
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
    const [page, { actInWords }] = await Promise.all([
      latchkey.listAuditEvents({ limit: PAGE, ...(cursor && { cursor }) }),
      // The words of all acts weigh as much as a page, and only this one needs them.
      import('../parts/act-words.js').catch(() => ({ actInWords: String })),
    ]);
    return { ...page, actInWords };
  });
  return (
    <Section title="Recent activity">
      <Loaded from={events}>
        {({ data, next_cursor, actInWords }) => (
          <>
            <div class="card">
              <Table
                caption="What was done by you and to your account, newest first"
                columns={['What', 'When', 'From']}
                rows={data.map((event) => ({
                  key: event.id,
                  cells: [
                    <>
                      {actInWords(event.type)}
                      {event.actor_id !== null && event.actor_id !== user.id && ' (by another user)'}
                    </>,
                    <Time key="when" at={event.created_at} />,
                    event.ip ? `${deviceOf(event.user_agent)}, ${event.ip}` : 'Unknown',
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
