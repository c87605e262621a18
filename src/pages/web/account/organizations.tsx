import { ButtonLink, Submit } from '../parts/button.js';
import { Ask } from '../parts/dialog.js';
import { addressOf, addressOfOrg, facts } from '../parts/facts.js';
import { Field } from '../parts/field.js';
import { Form } from '../parts/form.js';
import { Section } from '../parts/frame.js';
import { BUILDING } from '../parts/icons.js';
import { Loaded, useLoad } from '../parts/load.js';
import { announce } from '../parts/notice.js';
import { Row, Rows } from '../parts/rows.js';
import { say, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';
import type { OrganizationOfUser, User } from '../parts/session.js';
import { SetUpFactor } from '../parts/set-up-factor.js';
import { plain, roleInWords } from '../parts/words.js';

/** What a user belongs to, and the way to an organization of their own. */
export function Organizations({ user, organizations }: { user: User; organizations: OrganizationOfUser[] }) {
  const mayFound = !facts.isB2b && organizations.length < facts.orgsPerUser && !isReadonly(user);
  if (organizations.length === 0 && !mayFound) return null;
  return (
    <Section name="organization" title={say(Word['account.organization'])}>
      <Rows>
        {organizations.map((org) => (
          <Organization key={org.id} user={user} org={org} />
        ))}
        {mayFound && <Founding isFirst={organizations.length === 0} />}
      </Rows>
    </Section>
  );
}

/** Whether the service made a user READONLY. The role in their only organization does not say so. */
function isReadonly({ org_id, role }: User): boolean {
  return org_id === null && role === 'readonly';
}

/** What an organization asks for; last what a proof in this session gives. */
const WORST_FIRST = ['networks', 'login_methods', 'second_factor', 'idle_minutes', 'age_minutes'] as const;

function Organization({
  user,
  org: { id, name, role, suspended, unmet },
}: {
  user: User;
  org: OrganizationOfUser;
}) {
  const [worst] = WORST_FIRST.filter((each) => unmet.includes(each));
  const why = suspended
    ? say(Word['account.organization.suspended'], { org: plain(name) })
    : worst && say(Word['account.organization.unmet'], { unmet: worst });
  const isClosed = why !== undefined;
  const isStale = worst === 'idle_minutes' || worst === 'age_minutes';
  const isAdmin = role === 'org_admin' || user.role === 'sys_admin';
  const address = addressOfOrg(id);
  return (
    <Row
      icon={BUILDING}
      note={
        <>
          {roleInWords(role)}
          {why && (
            <>
              <br />
              {why}
            </>
          )}
        </>
      }
      acts={
        <>
          {!suspended && worst === 'second_factor' && <SetUpFactor />}
          {!suspended && isStale && (
            <Form
              act={async () => {
                // The service refuses it, and so has the user prove who they are.
                await latchkey.getOrg({ org_id: id });
                await latchkey.session.refresh();
                announce(say(Word['account.confirm.done'], { org: plain(name) }));
              }}
            >
              <Submit weight="words" aria-label={say(Word['account.confirm.named'], { org: plain(name) })}>
                {say(Word['account.confirm'])}
              </Submit>
            </Form>
          )}
          {address && !isClosed && (
            <ButtonLink
              weight="words"
              href={address}
              aria-label={say(Word['account.open.named'], { org: plain(name) })}
            >
              {say(Word['account.open'])}
            </ButtonLink>
          )}
          {isAdmin && !isClosed && (
            <ButtonLink
              weight="words"
              href={addressOf(`admin/organization?id=${id}`)}
              aria-label={say(Word['account.manage.named'], { org: plain(name) })}
            >
              {say(Word['account.manage'])}
            </ButtonLink>
          )}
          <Ask
            button={say(Word['account.leave'])}
            label={say(Word['account.leave.named'], { org: plain(name) })}
            weight="words danger"
            title={say(Word['account.leave.title'], { org: plain(name) })}
            isDangerous
            act={async () => {
              await latchkey.removeMember({ org_id: id, user_id: user.id });
              await latchkey.session.refresh();
              announce(say(Word['account.leave.done'], { org: plain(name) }));
            }}
          >
            <p>{say(Word['account.leave.what'])}</p>
            {/* It says how many belong to it to those alone whom it lets in. */}
            {isClosed ? <p>{say(Word['account.leave.perhapsOnly'])}</p> : <OrgGoes id={id} />}
          </Ask>
        </>
      }
    >
      <strong>
        <bdi>{name}</bdi>
      </strong>
    </Row>
  );
}

/** Says that the organization will be deleted too, if the user is its only member. */
function OrgGoes({ id }: { id: string }) {
  const org = useLoad(async () => (await latchkey.getOrg({ org_id: id })).org);
  return (
    <Loaded from={org} rows={1}>
      {({ member_count }) => member_count === 1 && <p>{say(Word['account.leave.only'])}</p>}
    </Loaded>
  );
}

function Founding({ isFirst }: { isFirst: boolean }) {
  return (
    <Row
      icon={BUILDING}
      note={say(Word['account.found.what'])}
      acts={
        <Ask
          button={say(Word['account.found.create'])}
          label={say(Word['account.found.title'])}
          title={say(Word['account.found.title'])}
          act={async ({ name = '' }) => {
            await latchkey.foundOrg({ name });
            await latchkey.session.refresh();
            announce(say(Word['account.found.done'], { org: name }));
          }}
        >
          <Field label={say(Word['account.found.name'])} name="name" autocomplete="organization" autofocus />
        </Ask>
      }
    >
      {say(isFirst ? Word['account.found.none'] : Word['account.found.more'])}
    </Row>
  );
}
