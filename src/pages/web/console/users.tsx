import { WithAddress } from '../parts/address.js';
import { Ask } from '../parts/dialog.js';
import { addressOf, facts } from '../parts/facts.js';
import { Field, Select } from '../parts/field.js';
import { Refused } from '../parts/form.js';
import { useLoad } from '../parts/load.js';
import { goToNew } from '../parts/notice.js';
import type { User } from '../parts/session.js';
import { Time } from '../parts/time.js';
import { MEMBER_ROLES, type MemberRole, ROLES, roleInWords, rolesInWords } from '../parts/words.js';
import { orgNamed } from './activity-filter.js';
import { asked, askedPage, inOrder } from './address-query.js';
import { ChoiceFilter, Filters, OrderFilter, PEOPLE_ORDERS, TextFilter } from './filters.js';
import { Screen } from './frame.js';
import { List } from './list.js';
import { OrgName } from './names.js';
import type { Selectable } from './selection.js';
import { latchkey } from './service.js';

const STATES = { false: 'Not disabled', true: 'Disabled' };

const ORDERS = {
  ...PEOPLE_ORDERS,
  '-last_login_at': 'Last login, latest first',
  last_login_at: 'Last login, longest ago first',
};

type Query = NonNullable<Parameters<typeof latchkey.listUsers>[0]>;

type Listed = Awaited<ReturnType<typeof latchkey.listUsers>>['data'][number];

/** What can be done to several users at once. */
const SHARED: Selectable<Listed> = {
  noun: 'user',
  nameOf: ({ email }) => email,
  acts: [
    {
      verb: 'End sessions',
      about: <p>Wherever they are logged in, they have to log in again.</p>,
      act: ({ id }) => latchkey.endUserSessions({ id }),
    },
    {
      verb: 'Change role',
      about: (
        <>
          <Roles />
          <p class="quiet">
            The new role counts from the next request on. Only who belongs to an organization can be an admin
            of it. A user whose address was never confirmed loses the password.
          </p>
        </>
      ),
      act: ({ id }, { role }) => latchkey.updateUser({ id, role: role as Listed['role'] }),
    },
    {
      verb: 'Enable',
      fits: ({ disabled }) => disabled,
      about: <p>They can log in again as before. What has ended does not come back.</p>,
      act: ({ id }) => latchkey.updateUser({ id, disabled: false }),
    },
    {
      verb: 'Disable',
      fits: ({ disabled }) => !disabled,
      isDangerous: true,
      about: (
        <p>
          Their sessions end at once, and they cannot log in until you enable them again. Links that were
          mailed to them, and invitations that they sent lately, are taken back for good.
        </p>
      ),
      act: ({ id }) => latchkey.updateUser({ id, disabled: true }),
    },
  ],
};

export function Users() {
  return (
    <Screen title="Users" audience="sys_admin" act={<Create />}>
      {(me) => <AllUsers me={me} />}
    </Screen>
  );
}

function AllUsers({ me }: { me: User }) {
  const filter = {
    sort: asked<NonNullable<Query['sort']>>('sort'),
    search: asked('search'),
    role: asked<NonNullable<Query['role']>>('role'),
    disabled: asked<never>('disabled'),
  };
  const users = useLoad(() => latchkey.listUsers({ ...askedPage(), ...filter }));
  return (
    <>
      <Filters>
        <TextFilter label="Name, email or id" name="search" />
        <ChoiceFilter label="Role" name="role" options={rolesInWords(ROLES)} />
        <ChoiceFilter label="State" name="disabled" options={STATES} />
        <OrderFilter options={ORDERS} />
      </Filters>
      <List
        from={users}
        caption={inOrder('Users')}
        noun="user"
        file={['users/export', filter]}
        selectable={{ ...SHARED, canSelect: ({ id }) => id !== me.id }}
        columns={['Email', 'Name', 'Role', 'Organization', 'State', 'Since', 'Last login']}
        row={(user) => ({
          key: user.id,
          cells: [
            <a key="email" href={addressOf(`admin/user?id=${user.id}`)}>
              <WithAddress>{user.email}</WithAddress>
            </a>,
            <bdi key="name">{user.name ?? '–'}</bdi>,
            roleInWords(user.role),
            user.org_id ? <OrgName key="org" id={user.org_id} name={user.org_name} /> : '–',
            <Standing key="state" {...user} />,
            <Time key="since" at={user.created_at} as="day" />,
            user.last_login_at ? <Time key="login" at={user.last_login_at} as="day" /> : 'Never',
          ],
        })}
        empty={<p>No user has an account yet.</p>}
      />
    </>
  );
}

/** Makes an account for a person, who gets a link by mail. */
function Create() {
  return (
    <Ask
      button="Create user"
      weight="main"
      title="Create a user"
      verb="Create"
      act={async ({ email = '', name, role, org_id }) => {
        const orgId = org_id ? await orgNamed(org_id) : null;
        if (org_id && orgId === null)
          throw new Refused(`“${org_id}” is not the name of one organization. Give all of it, or its id.`);
        const { user } = await latchkey.createUser({
          email,
          name: name ?? null,
          role: role as MemberRole,
          org_id: orgId,
        });
        await goToNew(
          addressOf(`admin/user?id=${user.id}`),
          `${user.email} has an account, and gets a link to choose a password.`,
        );
      }}
    >
      <p class="quiet">The user chooses the password, by a link in a mail that is valid for seven days.</p>
      <Field label="Email" name="email" type="email" autocomplete="off" autofocus />
      <Field label="Name" name="name" autocomplete="off" isOptional />
      <Select label="Role" name="role" options={rolesInWords(MEMBER_ROLES)} selected="member" />
      <Field
        label="Organization"
        name="org_id"
        autocomplete="off"
        isOptional={!facts.isB2b}
        hint="Its name, or its id."
      />
    </Ask>
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

/** The roles are named once the page shows them: the script is read before its words have come. */
function Roles() {
  return <Select label="Role" name="role" options={rolesInWords(ROLES)} selected="member" />;
}
