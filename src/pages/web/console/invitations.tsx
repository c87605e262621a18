import { useEffect, useRef, useState } from 'preact/hooks';
import { WithAddress } from '../parts/address.js';
import { Button, Submit } from '../parts/button.js';
import { Ask, Dialog } from '../parts/dialog.js';
import { Field, Select, TextArea } from '../parts/field.js';
import { Form, Refused } from '../parts/form.js';
import { Section } from '../parts/frame.js';
import { useLoad } from '../parts/load.js';
import { announce } from '../parts/notice.js';
import type { User } from '../parts/session.js';
import { Time } from '../parts/time.js';
import { MEMBER_ROLES, type MemberRole, plain, roleInWords, rolesInWords } from '../parts/words.js';
import { asked, askedPage } from './address-query.js';
import { ChoiceFilter, Filters } from './filters.js';
import { List } from './list.js';
import { MailsTo } from './names.js';
import type { Invitation, Org } from './schemas.js';
import { Results } from './selection.js';
import { latchkey } from './service.js';

const CURSOR = 'invitations_cursor';

/** As many as one request may invite. */
const MOST_AT_ONCE = 100;

/** Of the list above on the same screen. */
const MEMBER_FILTERS = ['search', 'role', 'sort'];

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
        await latchkey.invite({ org_id, email, role: role as MemberRole });
        await readAgain();
        announce(`${email} is invited.`);
      }}
    >
      <p class="quiet">The link in the mail is valid for seven days. Only the reader of the mail sees it.</p>
      <Field label="Email" name="email" type="email" autocomplete="off" autofocus />
      <Select label="Role" name="role" options={rolesInWords(MEMBER_ROLES)} selected="member" />
    </Ask>
  );
}

/** Beside it: the same for many addresses, as they come from a mail or a table. */
function InviteMany({ org: { id: org_id, name } }: { org: Org }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Invite many</Button>
      {isOpen && (
        <Dialog title={`Invite many to ${plain(name)}`} onClose={() => setOpen(false)}>
          {(close) => <Inviting org_id={org_id} close={close} />}
        </Dialog>
      )}
    </>
  );
}

function Inviting({ org_id, close }: { org_id: string; close: () => void }) {
  const [results, setResults] = useState<{ name: string; fault: string }[] | null>(null);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (results) end.current?.querySelector('button')?.focus();
  }, [results]);
  if (results)
    return (
      <>
        <Results rows={results} />
        <div class="buttons end" ref={end}>
          <Button onClick={close}>Close</Button>
        </div>
      </>
    );
  return (
    <Form
      act={async ({ emails = '', role }) => {
        const addresses = addressesIn(emails);
        if (addresses.length > MOST_AT_ONCE)
          throw new Refused(
            `These are ${addresses.length} addresses. ${MOST_AT_ONCE} can be invited at once.`,
          );
        const { data } = await latchkey.inviteMany({
          org_id,
          emails: addresses,
          role: role as MemberRole,
        });
        setResults(data.map(({ email, problem }) => ({ name: email, fault: faultOf(problem) })));
        await readAgain();
      }}
    >
      <TextArea
        label="Emails"
        name="emails"
        hint={`Up to ${MOST_AT_ONCE}, separated by commas, blanks or lines. Each gets a mail of its own.`}
      />
      <Select label="Role" name="role" options={rolesInWords(MEMBER_ROLES)} selected="member" />
      <div class="buttons end">
        <Button onClick={close}>Cancel</Button>
        <Submit>Invite them</Submit>
      </div>
    </Form>
  );
}

function faultOf(problem: { code: string; detail: string } | null): string {
  return problem?.code === 'ValidationFailed' ? 'This is no email address.' : (problem?.detail ?? '');
}

/** The addresses in a text, each once; of “Ada <ada@example.com>” the one in brackets. */
function addressesIn(text: string): string[] {
  const found = text
    .split(/[,;\n]+/)
    .flatMap((part) => /<([^>]+)>/.exec(part)?.[1]?.trim() ?? part.trim().split(/\s+/));
  return [...new Set(found)].filter(Boolean);
}

/** Who was invited to an organization, and what became of it. */
export function Invitations({ org, user }: { org: Org; user: User }) {
  const org_id = org.id;
  const invitations = useLoad(() =>
    latchkey.listInvitations({ org_id, ...askedPage(CURSOR), status: asked('status') }),
  );
  readAgain = invitations.again;
  return (
    <Section name="invitations" title="Invitations" acts={<InviteMany org={org} />}>
      <Filters others={MEMBER_FILTERS}>
        <ChoiceFilter label="State" name="status" options={STATES} />
      </Filters>
      <List
        from={invitations}
        others={MEMBER_FILTERS}
        caption="Invitations, newest first"
        cursor={CURSOR}
        selectable={{
          noun: 'invitation',
          nameOf: ({ email }) => email,
          canSelect: ({ status }) => status === 'pending',
          acts: [
            {
              verb: 'Resend',
              about: <p>Each address gets a new link, and the earlier one no longer works.</p>,
              act: ({ id }) => latchkey.resendInvitation({ org_id, id }),
            },
            {
              verb: 'Revoke',
              isDangerous: true,
              about: <p>The links in the mails no longer work. You can invite the addresses again.</p>,
              act: ({ id }) => latchkey.revokeInvitation({ org_id, id }),
            },
          ],
        }}
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
          announce(`${email} gets a new link, and the earlier one no longer works.`);
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
          announce(`${email} is no longer invited.`);
        }}
      >
        <p>The link in the mail no longer works. You can invite the address again.</p>
      </Ask>
    </>
  );
}
