import { WithAddress } from '../parts/address.js';
import { deviceOf } from '../parts/device.js';
import { addressOf } from '../parts/facts.js';
import { Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import { loadAgain } from '../parts/load-again.js';
import { loadActs, Rich, say, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';
import type { OrganizationOfUser, User } from '../parts/session.js';
import { Table } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { strangerInWords } from '../parts/words.js';

const PAGE = 10;

/** What was done by and to the user, newest first. */
export function Activity({ user, organizations }: { user: User; organizations: OrganizationOfUser[] }) {
  const cursor = new URLSearchParams(location.search).get('cursor');
  const events = useLoad(async () => {
    const [page, acts] = await Promise.all([
      latchkey.listAuditEvents({ limit: PAGE, ...(cursor && { cursor }) }),
      loadActs().catch(startAgain),
    ]);
    return { ...page, acts };
  });
  return (
    <Section name="recent-activity" title={say(Word['activity.title'])}>
      <Loaded from={events}>
        {({ data, next_cursor, acts }) => (
          <>
            <div class="card">
              <Table
                caption={say(Word['activity.caption'])}
                columns={[say(Word['activity.what']), say(Word['activity.when']), say(Word['activity.from'])]}
                rows={data.map((event) => ({
                  key: event.id,
                  cells: [
                    <>
                      {saidOf(event, acts[event.type] ?? event.type, user.id)}
                      <Concerned {...event} own={user} organizations={organizations} />
                    </>,
                    <Time key="when" at={event.created_at} />,
                    event.ip ? (
                      <Origin key="from" ip={event.ip} device={deviceOf(event.user_agent)} />
                    ) : (
                      say(Word['activity.unknown'])
                    ),
                  ],
                }))}
              />
            </div>
            <div class="buttons end">
              {cursor && (
                <a class="button words" href={addressOf('ui/security#recent-activity')}>
                  {say(Word['activity.newest'])}
                </a>
              )}
              {next_cursor && (
                <a
                  class="button words"
                  href={addressOf(
                    `ui/security?${new URLSearchParams({ cursor: next_cursor })}#recent-activity`,
                  )}
                >
                  {say(Word['activity.older'])}
                </a>
              )}
            </div>
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** A replica of another build does not have the file. */
function startAgain(): Promise<never> {
  loadAgain();
  return new Promise(() => {});
}

type AuditEvent = Awaited<ReturnType<typeof latchkey.listAuditEvents>>['data'][number];

/** To whom it was done, where that was not the user, and in which organization, where that is not their only one. */
function Concerned({
  user_id,
  user_email,
  org_id,
  org_name,
  own,
  organizations,
}: AuditEvent & { own: User; organizations: OrganizationOfUser[] }) {
  const account = user_id !== null && user_id !== own.id && (user_email ?? strangerInWords(user_id, own));
  const known = organizations.find(({ id }) => id === org_id);
  const org = (organizations.length > 1 || org_id !== own.org_id) && (known?.name ?? org_name);
  return (
    <>
      {account && (
        <small class="quiet">
          <Rich word={Word['activity.of']} given={{ account }} />
        </small>
      )}
      {org && (
        <small class="quiet">
          <Rich word={Word['activity.ofOrg']} given={{ org }} />
        </small>
      )}
    </>
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

/** An act, and who did it where that was not the user. */
function saidOf({ type, actor_id }: AuditEvent, act: string, userId: string): string {
  if (actor_id === null || actor_id === userId) return act;
  const isOfAdmin = type.startsWith('acting.');
  return say(isOfAdmin ? Word['activity.byAdmin'] : Word['activity.byOther'], { act });
}
