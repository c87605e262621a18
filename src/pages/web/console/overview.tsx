import { useEffect } from 'preact/hooks';
import { addressOf } from '../parts/facts.js';
import { Section } from '../parts/frame.js';
import { GreyRows, Loaded, useLoad } from '../parts/load.js';
import { latchkey } from '../parts/service.js';
import type { User } from '../parts/session.js';
import { Table } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { actInWords } from '../parts/words.js';
import { Screen } from './frame.js';
import { namesFor, OrgName, Person } from './names.js';

const LATEST = 10;

export function Overview() {
  return (
    <Screen title="Overview" audience="org_admin">
      {(user) => (user.role === 'sys_admin' ? <Latest user={user} /> : <ToOwnOrganization />)}
    </Screen>
  );
}

/** An admin of one organization begins there. */
function ToOwnOrganization() {
  useEffect(() => location.replace(addressOf('admin/organization')), []);
  return (
    <div class="card">
      <GreyRows />
    </div>
  );
}

function Latest({ user }: { user: User }) {
  const latest = useLoad(async () => {
    const { data } = await latchkey.listAuditEvents({ scope: 'all', limit: LATEST });
    const names = await namesFor(user, {
      people: data.flatMap(({ actor_id, user_id }) => [actor_id, user_id]),
      orgs: data.map(({ org_id }) => org_id),
    });
    return { data, names };
  });
  return (
    <Section title="What happened last" acts={<a href={addressOf('admin/activity')}>All activity</a>}>
      <div class="card">
        <Loaded from={latest} rows={LATEST}>
          {({ data, names }) => (
            <Table
              caption="The last ten events"
              columns={['What', 'By', 'To', 'Organization', 'When']}
              rows={data.map(({ id, type, actor_id, user_id, org_id, created_at }) => ({
                key: id,
                cells: [
                  actInWords(type),
                  actor_id ? <Person key="by" id={actor_id} names={names} /> : 'The service or a visitor',
                  user_id && user_id !== actor_id ? <Person key="to" id={user_id} names={names} /> : '–',
                  org_id ? <OrgName key="org" id={org_id} names={names} /> : '–',
                  <Time key="when" at={created_at} />,
                ],
              }))}
            />
          )}
        </Loaded>
      </div>
    </Section>
  );
}
