import { WithAddress } from '../parts/address.js';
import { Ask } from '../parts/dialog.js';
import { addressOf, facts } from '../parts/facts.js';
import { Field, Select } from '../parts/field.js';
import { Refused } from '../parts/form.js';
import { useLoad } from '../parts/load.js';
import { goToNew } from '../parts/notice.js';
import { say, Word } from '../parts/say.js';
import type { User } from '../parts/session.js';
import { Time } from '../parts/time.js';
import { MEMBER_ROLES, type MemberRole, ROLES, roleInWords, rolesInWords } from '../parts/words.js';
import { orgNamed } from './activity-filter.js';
import { asked, askedOrder, askedPage } from './address-query.js';
import { ChoiceFilter, Filters, OrderFilter, PEOPLE_ORDERS, TextFilter } from './filters.js';
import { Screen } from './frame.js';
import { List } from './list.js';
import { OrgName } from './names.js';
import type { SharedAct } from './selection.js';
import { latchkey } from './service.js';

const ORDERS = {
  ...PEOPLE_ORDERS,
  '-last_login_at': Word['filters.latestLogin'],
  last_login_at: Word['filters.earliestLogin'],
} as const;

type Query = NonNullable<Parameters<typeof latchkey.listUsers>[0]>;

type Listed = Awaited<ReturnType<typeof latchkey.listUsers>>['data'][number];

export function Users() {
  return (
    <Screen title={say(Word['users.title'])} audience="sys_admin" act={<Create />}>
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
        <TextFilter label={say(Word['filters.person'])} name="search" />
        <ChoiceFilter label={say(Word['users.role'])} name="role" options={rolesInWords(ROLES)} />
        <ChoiceFilter
          label={say(Word['users.state'])}
          name="disabled"
          options={{ false: say(Word['users.notDisabled']), true: say(Word['users.disabled']) }}
        />
        <OrderFilter orders={ORDERS} />
      </Filters>
      <List
        from={users}
        caption={say(Word['users.caption'], { order: askedOrder() })}
        total={(counted) => say(Word['users.total'], { ...counted })}
        file={['users/export', filter]}
        selectable={{
          all: say(Word['users.selectAll']),
          some: (count) => say(Word['users.selected'], { count }),
          nameOf: ({ email }) => email,
          canSelect: ({ id }) => id !== me.id,
          acts: sharedActs(),
        }}
        columns={[
          say(Word['field.email']),
          say(Word['field.name']),
          say(Word['users.role']),
          say(Word['users.organization']),
          say(Word['users.state']),
          say(Word['users.created']),
          say(Word['users.lastLogin']),
        ]}
        row={(user) => ({
          key: user.id,
          cells: [
            <a key="email" href={addressOf(`admin/user?id=${user.id}`)}>
              <WithAddress>{user.email}</WithAddress>
            </a>,
            <bdi key="name">{user.name ?? '–'}</bdi>,
            roleInWords(user.role),
            organizationOf(user),
            <Standing key="state" {...user} />,
            <Time key="since" at={user.created_at} as="day" />,
            user.last_login_at ? (
              <Time key="login" at={user.last_login_at} as="day" />
            ) : (
              say(Word['users.neverIn'])
            ),
          ],
        })}
        empty={<p>{say(Word['users.empty'])}</p>}
      />
    </>
  );
}

/** The organization of a user; of several, how many. */
function organizationOf({ org_id, org_name, organizations: { length: count } }: Listed) {
  if (count > 1) return say(Word['users.several'], { count });
  return org_id ? <OrgName key="org" id={org_id} name={org_name} /> : '–';
}

/** What can be done to several users at once. */
function sharedActs(): SharedAct<Listed>[] {
  return [
    {
      verb: say(Word['users.endSessions']),
      title: (count) => say(Word['users.endSessions.title'], { count }),
      about: <p>{say(Word['users.endSessions.what'])}</p>,
      act: ({ id }) => latchkey.endUserSessions({ id }),
    },
    {
      verb: say(Word['users.changeRole']),
      title: (count) => say(Word['users.changeRole.title'], { count }),
      about: (
        <>
          <Select
            label={say(Word['users.role'])}
            name="role"
            options={rolesInWords(ROLES)}
            selected="member"
          />
          <p class="quiet">{say(Word['users.changeRole.what'])}</p>
        </>
      ),
      act: ({ id }, { role }) => latchkey.updateUser({ id, role: role as Listed['role'] }),
    },
    {
      verb: say(Word['users.enable']),
      title: (count) => say(Word['users.enable.title'], { count }),
      fits: ({ disabled }) => disabled,
      about: <p>{say(Word['users.enable.what'])}</p>,
      act: ({ id }) => latchkey.updateUser({ id, disabled: false }),
    },
    {
      verb: say(Word['users.disable']),
      title: (count) => say(Word['users.disable.title'], { count }),
      fits: ({ disabled }) => !disabled,
      isDangerous: true,
      about: <p>{say(Word['users.disable.what'])}</p>,
      act: ({ id }) => latchkey.updateUser({ id, disabled: true }),
    },
  ];
}

/** Makes an account for a person, who gets a link by mail. */
function Create() {
  return (
    <Ask
      button={say(Word['users.create'])}
      weight="main"
      title={say(Word['users.create.title'])}
      verb={say(Word['users.create.verb'])}
      act={async ({ email = '', name, role, org_id }) => {
        const orgId = org_id ? await orgNamed(org_id) : null;
        if (org_id && orgId === null)
          throw new Refused(say(Word['users.create.noOrganization'], { org: org_id }));
        const { user } = await latchkey.createUser({
          email,
          name: name ?? null,
          role: role as MemberRole,
          org_id: orgId,
        });
        await goToNew(
          addressOf(`admin/user?id=${user.id}`),
          say(Word['users.create.done'], { email: user.email }),
        );
      }}
    >
      <p class="quiet">{say(Word['users.create.what'])}</p>
      <Field label={say(Word['field.email'])} name="email" type="email" autocomplete="off" autofocus />
      <Field label={say(Word['field.name'])} name="name" autocomplete="off" isOptional />
      <Select
        label={say(Word['users.role'])}
        name="role"
        options={rolesInWords(MEMBER_ROLES)}
        selected="member"
      />
      <Field
        label={say(Word['users.organization'])}
        name="org_id"
        autocomplete="off"
        isOptional={!facts.isB2b}
        hint={say(Word['users.create.organization'])}
      />
    </Ask>
  );
}

/** Whether a user may log in. */
export function Standing({ disabled, email_verified }: { disabled: boolean; email_verified: boolean }) {
  if (disabled) return <span class="badge">{say(Word['users.disabled'])}</span>;
  return email_verified ? (
    <span class="badge good">{say(Word['users.active'])}</span>
  ) : (
    <span class="badge warn">{say(Word['users.unconfirmed'])}</span>
  );
}
