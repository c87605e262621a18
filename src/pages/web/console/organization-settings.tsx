import { ButtonLink } from '../parts/button.js';
import { counted } from '../parts/counted.js';
import { Ask } from '../parts/dialog.js';
import { addressOf } from '../parts/facts.js';
import { Field } from '../parts/field.js';
import { Refused } from '../parts/form.js';
import { Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import { announce, go } from '../parts/notice.js';
import { returnHere } from '../parts/return-to.js';
import { Row, Rows } from '../parts/rows.js';
import { type User, useSession } from '../parts/session.js';
import { Time } from '../parts/time.js';
import { plain } from '../parts/words.js';
import type { Org } from './schemas.js';
import { latchkey } from './service.js';

/** The most that one request lists. An organization has at most as many pending invitations. */
const MOST = 100;

/** What an organization is called, what it asks of its members, and its end. */
export function OrganizationSettings({
  org,
  user,
  onChange,
}: {
  org: Org;
  user: User;
  onChange: () => Promise<void>;
}) {
  const { id: org_id, name, member_count, created_at } = org;
  return (
    <Section name="settings" title="Settings">
      <Rows>
        <Row
          label="Name"
          acts={
            <Ask
              button="Rename"
              title={`Rename ${plain(name)}`}
              verb="Save"
              act={async ({ name: other = '' }) => {
                await latchkey.updateOrg({ org_id, name: other });
                await onChange();
                announce(`${plain(name)} is called ${other} now.`);
              }}
            >
              <Field label="Name" name="name" defaultValue={name} autocomplete="off" autofocus />
            </Ask>
          }
        >
          <bdi>{name}</bdi>
        </Row>
        <SecondFactor org={org} onChange={onChange} />
        <Row label="Since">
          <Time at={created_at} as="day" />
        </Row>
        {user.role === 'sys_admin' && (
          <Row
            acts={
              <Ask
                button="Delete"
                label={`Delete ${plain(name)}`}
                weight="words danger"
                title={`Delete ${plain(name)}?`}
                verb="Delete it for good"
                isDangerous
                act={async ({ typed = '' }) => {
                  if (asShown(typed) !== asShown(name))
                    throw new Refused('That is not its name. Nothing was deleted.');
                  await latchkey.deleteOrg({ org_id });
                  await go(addressOf('admin/organizations'), `${plain(name)} is deleted.`);
                }}
              >
                <Consequences org_id={org_id} members={member_count} />
                <Field label={`Type ${plain(name)} to confirm`} name="typed" autocomplete="off" autofocus />
              </Ask>
            }
          >
            Delete the organization. This cannot be undone.
          </Row>
        )}
      </Rows>
    </Section>
  );
}

/** Whether members must have a second factor. The service lets only an admin require one who has logged in with one. */
function SecondFactor({
  org: { id: org_id, member_count, second_factor_required },
  onChange,
}: {
  org: Org;
  onChange: () => Promise<void>;
}) {
  const session = useSession();
  const isWeak = session.status === 'in' && session.session.aal === 1;
  if (isWeak && !second_factor_required)
    return (
      <Row
        label="Second factor"
        note="To require one of every member, first log in with a second factor yourself."
        acts={
          <ButtonLink
            weight="words"
            href={`${addressOf('ui/security')}${returnHere()}`}
            aria-label="Set one up: a second factor"
          >
            Set one up
          </ButtonLink>
        }
      >
        Up to each member
      </Row>
    );
  return (
    <Row
      label="Second factor"
      acts={
        <Ask
          button={second_factor_required ? 'Stop requiring it' : 'Require it'}
          title={
            second_factor_required
              ? 'Stop requiring a second factor?'
              : 'Require a second factor of every member?'
          }
          isDangerous={second_factor_required}
          act={async () => {
            await latchkey.updateOrg({ org_id, second_factor_required: !second_factor_required });
            await onChange();
            announce(
              second_factor_required
                ? 'Members may log in without a second factor now.'
                : 'Every member must have a second factor now.',
            );
          }}
        >
          {second_factor_required ? (
            <p>Members who may then remove their second factor, and log in without one: {member_count}.</p>
          ) : (
            <WithoutFactor org_id={org_id} />
          )}
        </Ask>
      }
    >
      {second_factor_required ? 'Required of every member' : 'Up to each member'}
    </Row>
  );
}

/** A page shows several blanks as one, and a label no sign that turns the text. */
function asShown(name: string): string {
  return plain(name).normalize().replace(/\s+/g, ' ').trim();
}

/** What it means to require a second factor, in numbers. */
function WithoutFactor({ org_id }: { org_id: string }) {
  const members = useLoad(() => latchkey.listMembers({ org_id, limit: MOST }));
  return (
    <Loaded from={members} rows={1}>
      {({ data, next_cursor }) => {
        const without = data.filter(({ has_factor }) => !has_factor).length;
        return (
          <p>
            Members without one: {next_cursor && 'at least '}
            {without}. Each is logged out, and sets one up at the next login.
          </p>
        );
      }}
    </Loaded>
  );
}

function Consequences({ org_id, members }: { org_id: string; members: number }) {
  const pending = useLoad(() => latchkey.listInvitations({ org_id, status: 'pending', limit: MOST }));
  return (
    <Loaded from={pending} rows={1}>
      {({ data }) => (
        <p>
          {counted(members, 'member')} {members === 1 ? 'loses' : 'lose'} what belongs to the organization,
          and {members === 1 ? 'keeps the account' : 'keep their accounts'}.{' '}
          {counted(data.length, 'pending invitation')} no longer {data.length === 1 ? 'works' : 'work'}.
        </p>
      )}
    </Loaded>
  );
}
