import { WithAddress } from '../parts/address.js';
import { counted } from '../parts/counted.js';
import { Ask } from '../parts/dialog.js';
import { addressOf, facts } from '../parts/facts.js';
import { Select } from '../parts/field.js';
import { Section } from '../parts/frame.js';
import { useLoad } from '../parts/load.js';
import { announce } from '../parts/notice.js';
import type { User } from '../parts/session.js';
import { Time } from '../parts/time.js';
import { MEMBER_ROLES, type MemberRole, roleInWords, rolesInWords } from '../parts/words.js';
import { asked, askedPage, inOrder } from './address-query.js';
import { ChoiceFilter, Filters, OrderFilter, PEOPLE_ORDERS, TextFilter } from './filters.js';
import { List } from './list.js';
import type { Member, Org } from './schemas.js';
import type { SharedAct } from './selection.js';
import { latchkey } from './service.js';

/** Of the list below on the same screen. */
const INVITATION_FILTERS = ['status'];

/** What was changed of a member: the list is read again, and so is the organization, which counts them. */
type OnChange = (message: string) => Promise<void>;

/** Who belongs to an organization, and what its admin can do about it. */
export function Members({ org, user, onChange }: { org: Org; user: User; onChange: () => Promise<void> }) {
  const filter = {
    sort: asked<keyof typeof PEOPLE_ORDERS>('sort'),
    search: asked('search'),
    role: asked<Member['role']>('role'),
  };
  const members = useLoad(() => latchkey.listMembers({ org_id: org.id, ...askedPage(), ...filter }));
  const changed: OnChange = async (message) => {
    await Promise.all([members.again(), onChange()]);
    announce(message);
  };
  return (
    <Section name="members" title="Members" acts={<p class="quiet">{counted(org.member_count, 'member')}</p>}>
      <Filters others={INVITATION_FILTERS}>
        <TextFilter label="Name, email or id" name="search" />
        <ChoiceFilter label="Role" name="role" options={rolesInWords(MEMBER_ROLES)} />
        <OrderFilter options={PEOPLE_ORDERS} />
      </Filters>
      <List
        from={members}
        others={INVITATION_FILTERS}
        caption={inOrder('Members')}
        noun="member"
        file={[`orgs/${org.id}/members/export`, filter]}
        selectable={{
          noun: 'member',
          nameOf: ({ email }) => email,
          canSelect: (member) => member.id !== user.id && mayChange(user, member),
          acts: sharedActs(org),
          onChange,
        }}
        columns={['Member', 'Role', 'Second factor', 'Account since']}
        row={(member) => ({
          key: member.id,
          cells: [
            <Name key="name" member={member} user={user} />,
            roleInWords(member.role),
            <span key="factor" class={member.has_factor ? 'badge good' : 'badge'}>
              {member.has_factor ? 'Set up' : 'None'}
            </span>,
            <Time key="since" at={member.created_at} as="day" />,
          ],
          acts: member.id !== user.id && mayChange(user, member) && (
            <Acts org={org} user={user} member={member} changed={changed} />
          ),
        })}
        empty={<p>It has no members yet. Invite the first one above.</p>}
      />
    </Section>
  );
}

/** What can be done to several members at once. */
function sharedActs({ id: org_id, name }: Org): SharedAct<Member>[] {
  return [
    {
      verb: 'Change role',
      fits: ({ role }) => role !== 'sys_admin',
      about: (
        <>
          <Select label="Role" name="role" options={rolesInWords(MEMBER_ROLES)} selected="member" />
          <p class="quiet">It applies at once. The organization keeps at least one admin.</p>
        </>
      ),
      act: ({ id: user_id }, { role }) =>
        latchkey.updateMember({ org_id, user_id, role: role as MemberRole }),
    },
    {
      verb: 'Remove',
      isDangerous: true,
      about: (
        <p>
          They lose what belongs to <bdi>{name}</bdi> at once, and keep their accounts.
        </p>
      ),
      act: ({ id: user_id }) => latchkey.removeMember({ org_id, user_id }),
    },
  ];
}

function Name({ member: { id, email, name }, user }: { member: Member; user: User }) {
  const shown = <WithAddress>{email}</WithAddress>;
  return (
    <div>
      {user.role === 'sys_admin' ? <a href={addressOf(`admin/user?id=${id}`)}>{shown}</a> : shown}
      {id === user.id && ' (you)'}
      {name && (
        <p class="quiet">
          <bdi>{name}</bdi>
        </p>
      )}
    </div>
  );
}

/** The admin of an organization has no say over a system admin who belongs to it. */
function mayChange(user: User, member: Member): boolean {
  return user.role === 'sys_admin' || member.role !== 'sys_admin';
}

function Acts({
  org,
  user,
  member: { id: user_id, email, role, has_factor },
  changed,
}: {
  org: Org;
  user: User;
  member: Member;
  changed: OnChange;
}) {
  const org_id = org.id;
  const isForSystem = user.role === 'sys_admin';
  return (
    <>
      {role !== 'sys_admin' && (
        <Ask
          button="Change role"
          label={`Change role of ${email}`}
          title={`Role of ${email}`}
          verb="Save"
          act={async ({ role: other }) => {
            await latchkey.updateMember({ org_id, user_id, role: other as MemberRole });
            await changed(`${email} is “${roleInWords(other ?? '')}” now.`);
          }}
        >
          <Select
            label="Role"
            name="role"
            options={rolesInWords(MEMBER_ROLES)}
            selected={role}
            hint="An admin invites and removes members and changes their roles. It applies at once."
            autofocus
          />
        </Ask>
      )}
      {has_factor && (isForSystem || facts.isB2b) && (
        <Ask
          button="Reset factors"
          label={`Reset factors of ${email}`}
          title={`Reset the second factors of ${email}?`}
          verb="Reset them"
          isDangerous
          act={async () => {
            // In B2C only a system admin may.
            await (facts.isB2b
              ? latchkey.resetMemberFactors({ org_id, user_id })
              : latchkey.resetUserFactors({ id: user_id }));
            await changed(`${email} no longer has a second factor, and is logged out everywhere.`);
          }}
        >
          <p>
            Do this for a member who has lost their phone. All their passkeys, their authenticator app and
            their recovery codes go, and every session of theirs ends. They get a mail about it.
          </p>
        </Ask>
      )}
      <Ask
        button="Remove"
        label={`Remove ${email}`}
        weight="words danger"
        title={`Remove ${email}?`}
        verb="Remove"
        isDangerous
        act={async () => {
          await latchkey.removeMember({ org_id, user_id });
          await changed(`${email} is no longer a member.`);
        }}
      >
        <p>
          They lose what belongs to <bdi>{org.name}</bdi> at once, and keep their account. Of{' '}
          {counted(org.member_count, 'member')}, {org.member_count - 1} remain.
        </p>
      </Ask>
    </>
  );
}
