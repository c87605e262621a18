import { WithAddress } from '../parts/address.js';
import { addressOf } from '../parts/facts.js';
import { useLoad } from '../parts/load.js';
import { namesFor } from '../parts/names.js';
import { latchkey } from '../parts/service.js';
import type { User } from '../parts/session.js';
import { Time } from '../parts/time.js';
import { ROLES, roleInWords } from '../parts/words.js';
import { asked, askedPage } from './address-query.js';
import { ChoiceFilter, Filters, TextFilter } from './filters.js';
import { Screen } from './frame.js';
import { List } from './list.js';
import { OrgName } from './names.js';

const STATES = { false: 'Not disabled', true: 'Disabled' };

type Query = NonNullable<Parameters<typeof latchkey.listUsers>[0]>;

export function Users() {
  return (
    <Screen title="Users" audience="sys_admin">
      {(me) => <AllUsers me={me} />}
    </Screen>
  );
}

function AllUsers({ me }: { me: User }) {
  const users = useLoad(async () => {
    const page = await latchkey.listUsers({
      ...askedPage(),
      email: asked('email'),
      role: asked<NonNullable<Query['role']>>('role'),
      disabled: asked<never>('disabled'),
    });
    return {
      ...page,
      names: await namesFor(latchkey, me, { people: [], orgs: page.data.map(({ org_id }) => org_id) }),
    };
  });
  return (
    <>
      <Filters>
        <TextFilter label="Email begins with" name="email" />
        <ChoiceFilter label="Role" name="role" options={ROLES} />
        <ChoiceFilter label="State" name="disabled" options={STATES} />
      </Filters>
      <List
        from={users}
        caption="Users, newest first"
        columns={['Email', 'Name', 'Role', 'Organization', 'State', 'Since']}
        row={(user, { names }) => ({
          key: user.id,
          cells: [
            <a key="email" href={addressOf(`admin/user?id=${user.id}`)}>
              <WithAddress>{user.email}</WithAddress>
            </a>,
            <bdi key="name">{user.name ?? '–'}</bdi>,
            roleInWords(user.role),
            user.org_id ? <OrgName key="org" id={user.org_id} names={names} /> : '–',
            <Standing key="state" {...user} />,
            <Time key="since" at={user.created_at} as="day" />,
          ],
        })}
        empty={<p>No user has an account yet.</p>}
      />
    </>
  );
}

/** Whether a user may log in. */
export function Standing({ disabled, email_verified }: { disabled: boolean; email_verified: boolean }) {
  if (disabled) return <span class="badge">Disabled</span>;
  return email_verified ? (
    <span class="badge good">Active</span>
  ) : (
    <span class="badge warn">Address not confirmed</span>
  );
}
