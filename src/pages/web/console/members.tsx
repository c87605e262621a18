import type { ComponentChildren } from 'preact';
import { WithAddress } from '../parts/address.js';
import { Ask } from '../parts/dialog.js';
import { addressOf, facts } from '../parts/facts.js';
import { Select } from '../parts/field.js';
import { Section } from '../parts/frame.js';
import { useLoad } from '../parts/load.js';
import { announce } from '../parts/notice.js';
import { Rich, say, Word } from '../parts/say.js';
import type { User } from '../parts/session.js';
import { Time } from '../parts/time.js';
import { MEMBER_ROLES, type MemberRole, roleInWords, rolesInWords } from '../parts/words.js';
import { asked, askedOrder, askedPage, isFiltered } from './address-query.js';
import { ChoiceFilter, Filters, OrderFilter, PEOPLE_ORDERS, TextFilter } from './filters.js';
import { type Counted, List } from './list.js';
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
    <Section
      name="members"
      title={say(Word['members.title'])}
      acts={<p class="quiet">{say(Word['members.total'], { count: org.member_count, extent: 'exact' })}</p>}
    >
      <Filters others={INVITATION_FILTERS}>
        <TextFilter label={say(Word['filters.person'])} name="search" />
        <ChoiceFilter label={say(Word['users.role'])} name="role" options={rolesInWords(MEMBER_ROLES)} />
        <OrderFilter orders={PEOPLE_ORDERS} />
      </Filters>
      <List
        from={members}
        others={INVITATION_FILTERS}
        caption={say(Word['members.caption'], { order: askedOrder() })}
        // All of them are counted above.
        {...(isFiltered(INVITATION_FILTERS) && {
          total: (counted: Counted) => say(Word['members.total'], { ...counted }),
        })}
        file={[`orgs/${org.id}/members/export`, filter]}
        selectable={{
          all: say(Word['members.selectAll']),
          some: (count) => say(Word['members.selected'], { count }),
          nameOf: ({ email }) => email,
          canSelect: (member) => member.id !== user.id && mayChange(user, member),
          acts: sharedActs(org),
          onChange,
        }}
        columns={[
          say(Word['members.member']),
          say(Word['users.role']),
          say(Word['users.factor']),
          say(Word['user.since']),
        ]}
        row={(member) => ({
          key: member.id,
          cells: [
            <Name key="name" member={member} user={user} />,
            roleInWords(member.role),
            <span key="factor" class={member.has_factor ? 'badge good' : 'badge'}>
              {say(member.has_factor ? Word['user.factor.set'] : Word['user.factor.none'])}
            </span>,
            <Time key="since" at={member.created_at} as="day" />,
          ],
          acts: member.id !== user.id && mayChange(user, member) && (
            <Acts org={org} user={user} member={member} changed={changed} />
          ),
        })}
        empty={<p>{say(Word['members.empty'])}</p>}
      />
    </Section>
  );
}

/** What can be done to several members at once. */
function sharedActs({ id: org_id, name }: Org): SharedAct<Member>[] {
  return [
    {
      verb: say(Word['users.changeRole']),
      title: (count) => say(Word['members.changeRole.title'], { count }),
      fits: ({ role }) => role !== 'sys_admin',
      about: (
        <>
          <Select
            label={say(Word['users.role'])}
            name="role"
            options={rolesInWords(MEMBER_ROLES)}
            selected="member"
          />
          <p class="quiet">{say(Word['members.changeRole.what'])}</p>
        </>
      ),
      act: ({ id: user_id }, { role }) =>
        latchkey.updateMember({ org_id, user_id, role: role as MemberRole }),
    },
    {
      verb: say(Word['members.remove']),
      title: (count) => say(Word['members.remove.title'], { count }),
      isDangerous: true,
      about: (
        <p>
          <Rich word={Word['members.remove.what']} given={{ org: name }} />
        </p>
      ),
      act: ({ id: user_id }) => latchkey.removeMember({ org_id, user_id }),
    },
  ];
}

function Name({ member: { id, email, name, suspended }, user }: { member: Member; user: User }) {
  const link = (shown: ComponentChildren) =>
    user.role === 'sys_admin' ? <a href={addressOf(`admin/user?id=${id}`)}>{shown}</a> : shown;
  return (
    <div>
      {id === user.id ? (
        <Rich word={Word['members.you']} given={{ email, link }} />
      ) : (
        link(<WithAddress>{email}</WithAddress>)
      )}
      {suspended && (
        <>
          {' '}
          <span class="badge">{say(Word['members.suspended'])}</span>
        </>
      )}
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

const SUSPENDING = [
  Word['members.suspend'],
  Word['members.suspend.title'],
  Word['members.suspend.what'],
  Word['members.suspend.done'],
] as const;

const RESUMING = [
  Word['members.resume'],
  Word['members.resume.title'],
  Word['members.resume.what'],
  Word['members.resume.done'],
] as const;

function Acts({
  org,
  user,
  member: { id: user_id, email, role, has_factor, suspended },
  changed,
}: {
  org: Org;
  user: User;
  member: Member;
  changed: OnChange;
}) {
  const org_id = org.id;
  const isForSystem = user.role === 'sys_admin';
  // The factors guard the whole account, which may belong to other organizations too.
  const isAsked = !isForSystem && facts.orgsPerUser > 1;
  const [verb, title, what, done] = suspended ? RESUMING : SUSPENDING;
  return (
    <>
      {role !== 'sys_admin' && (
        <Ask
          button={say(Word['users.changeRole'])}
          label={say(Word['members.changeRole.one'], { email })}
          title={say(Word['members.changeRole.one'], { email })}
          verb={say(Word['user.save'])}
          act={async (sent) => {
            const other = sent.role as MemberRole;
            await latchkey.updateMember({ org_id, user_id, role: other });
            await changed(say(Word['user.role.done'], { email, role: other }));
          }}
        >
          <Select
            label={say(Word['users.role'])}
            name="role"
            options={rolesInWords(MEMBER_ROLES)}
            selected={role}
            hint={say(Word['members.changeRole.hint'])}
            autofocus
          />
        </Ask>
      )}
      {has_factor && (isForSystem || facts.isB2b) && (
        <Ask
          button={say(Word['members.reset'])}
          label={say(Word['members.reset.one'], { email })}
          title={say(Word['user.factor.title'], { email })}
          verb={say(isAsked ? Word['members.reset.ask'] : Word['user.factor.verb'])}
          isDangerous
          act={async () => {
            // In B2C only a system admin may.
            await (facts.isB2b
              ? latchkey.resetMemberFactors({ org_id, user_id })
              : latchkey.resetUserFactors({ id: user_id }));
            await changed(say(isAsked ? Word['members.reset.asked'] : Word['user.factor.done'], { email }));
          }}
        >
          <p>{say(isAsked ? Word['members.reset.askWhat'] : Word['members.reset.what'])}</p>
        </Ask>
      )}
      <Ask
        button={say(verb)}
        label={say(title, { email })}
        title={say(title, { email })}
        isDangerous={!suspended}
        act={async () => {
          await latchkey.updateMember({ org_id, user_id, suspended: !suspended });
          await changed(say(done, { email }));
        }}
      >
        <p>
          <Rich word={what} given={{ org: org.name }} />
        </p>
      </Ask>
      <Ask
        button={say(Word['members.remove'])}
        label={say(Word['members.remove.one'], { email })}
        weight="words danger"
        title={say(Word['members.remove.oneTitle'], { email })}
        isDangerous
        act={async () => {
          await latchkey.removeMember({ org_id, user_id });
          await changed(say(Word['members.remove.done'], { email }));
        }}
      >
        <p>
          <Rich
            word={Word['members.remove.oneWhat']}
            given={{ org: org.name, count: org.member_count - 1 }}
          />
        </p>
      </Ask>
    </>
  );
}
