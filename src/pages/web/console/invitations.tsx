import { WithAddress } from '../parts/address.js';
import { Submit } from '../parts/button.js';
import { Ask } from '../parts/dialog.js';
import { Field, Select } from '../parts/field.js';
import { Form } from '../parts/form.js';
import { Section } from '../parts/frame.js';
import { useLoad } from '../parts/load.js';
import { say } from '../parts/notice.js';
import { latchkey } from '../parts/service.js';
import type { User } from '../parts/session.js';
import { Time } from '../parts/time.js';
import { MEMBER_ROLES, plain, roleInWords } from '../parts/words.js';
import { asked, askedPage } from './address-query.js';
import { ChoiceFilter, Filters } from './filters.js';
import { List } from './list.js';
import { MailsTo } from './names.js';
import type { Invitation, Org } from './schemas.js';

const CURSOR = 'invitations_cursor';

/** Of the list above on the same screen. */
const MEMBER_FILTERS = ['email', 'role'];

const STATES = { pending: 'Pending', accepted: 'Accepted', revoked: 'Revoked', expired: 'Expired' };

const LOOKS: Partial<Record<Invitation['status'], string>> = { pending: 'warn', accepted: 'good' };

let readAgain: () => Promise<void> = async () => {};

/** The main act of the screen of an organization. */
export function Invite({ org: { id: org_id, name } }: { org: Org }) {
  return (
    <Ask
      button="Invite"
      weight="main"
      title={`Invite to ${plain(name)}`}
      verb="Invite"
      act={async ({ email = '', role }) => {
        await latchkey.invite({ org_id, email, role: role as keyof typeof MEMBER_ROLES });
        await readAgain();
        say(`${email} is invited.`);
      }}
    >
      <p class="quiet">The link in the mail is valid for seven days. Only the reader of the mail sees it.</p>
      <Field label="Email" name="email" type="email" autocomplete="off" autofocus />
      <Select label="Role" name="role" options={MEMBER_ROLES} selected="member" />
    </Ask>
  );
}

/** Who was invited to an organization, and what became of it. */
export function Invitations({ org: { id: org_id }, user }: { org: Org; user: User }) {
  const invitations = useLoad(() =>
    latchkey.listInvitations({ org_id, ...askedPage(CURSOR), status: asked('status') }),
  );
  readAgain = invitations.again;
  return (
    <Section title="Invitations">
      <Filters others={MEMBER_FILTERS}>
        <ChoiceFilter label="State" name="status" options={STATES} />
      </Filters>
      <List
        from={invitations}
        others={MEMBER_FILTERS}
        caption="Invitations, newest first"
        cursor={CURSOR}
        columns={['Invited', 'As', 'State', 'Valid until']}
        row={(invitation) => ({
          key: invitation.id,
          cells: [
            <WithAddress key="email">{invitation.email}</WithAddress>,
            roleInWords(invitation.role),
            <span key="state" class={`badge ${LOOKS[invitation.status] ?? ''}`}>
              {STATES[invitation.status]}
            </span>,
            invitation.status === 'pending' ? <Time key="until" at={invitation.expires_at} /> : '–',
          ],
          acts: invitation.status === 'pending' && (
            <Acts org_id={org_id} user={user} invitation={invitation} again={invitations.again} />
          ),
        })}
        empty={<p>There are no invitations yet.</p>}
      />
    </Section>
  );
}

function Acts({
  org_id,
  user,
  invitation: { id, email },
  again,
}: {
  org_id: string;
  user: User;
  invitation: Invitation;
  again: () => Promise<void>;
}) {
  return (
    <>
      {user.role === 'sys_admin' && <MailsTo email={email} />}
      <Form
        act={async () => {
          await latchkey.resendInvitation({ org_id, id });
          await again();
          say(`${email} gets a new link, and the earlier one no longer works.`);
        }}
      >
        <Submit weight="words" aria-label={`Resend the invitation of ${email}`}>
          Resend
        </Submit>
      </Form>
      <Ask
        button="Revoke"
        label={`Revoke the invitation of ${email}`}
        weight="words danger"
        title={`Revoke the invitation of ${email}?`}
        verb="Revoke"
        isDangerous
        act={async () => {
          await latchkey.revokeInvitation({ org_id, id });
          await again();
          say(`${email} is no longer invited.`);
        }}
      >
        <p>The link in the mail no longer works. You can invite the address again.</p>
      </Ask>
    </>
  );
}
