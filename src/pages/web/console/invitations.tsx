import { useEffect, useRef, useState } from 'preact/hooks';
import { WithAddress } from '../parts/address.js';
import { Button, Submit } from '../parts/button.js';
import { Ask, Dialog } from '../parts/dialog.js';
import { Field, Select, TextArea } from '../parts/field.js';
import { Form, Refused } from '../parts/form.js';
import { Section } from '../parts/frame.js';
import { chosen, LanguageSelect } from '../parts/language-select.js';
import { useLoad } from '../parts/load.js';
import { announce } from '../parts/notice.js';
import { problemInWords } from '../parts/problem-words.js';
import { say, Word } from '../parts/say.js';
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

/** The look of the badge of each state. */
const LOOKS: Record<Invitation['status'], string> = {
  pending: 'warn',
  accepted: 'good',
  revoked: '',
  expired: '',
};

let readAgain: () => Promise<void> = async () => {};

/** The main act of the screen of an organization. */
export function Invite({ org: { id: org_id, name } }: { org: Org }) {
  return (
    <Ask
      button={say(Word['invitations.invite'])}
      weight="main"
      title={say(Word['invitations.invite.title'], { org: plain(name) })}
      act={async ({ email = '', role, locale }) => {
        await latchkey.invite({ org_id, email, role: role as MemberRole, ...chosen(locale) });
        await readAgain();
        announce(say(Word['invitations.invite.done'], { email }));
      }}
    >
      <p class="quiet">{say(Word['invitations.invite.what'])}</p>
      <Field label={say(Word['field.email'])} name="email" type="email" autocomplete="off" autofocus />
      <Select
        label={say(Word['users.role'])}
        name="role"
        options={rolesInWords(MEMBER_ROLES)}
        selected="member"
      />
      <LanguageSelect label={say(Word['invitations.language'])} />
    </Ask>
  );
}

/** Beside it: the same for many addresses, as they come from a mail or a table. */
function InviteMany({ org: { id: org_id, name } }: { org: Org }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{say(Word['invitations.many'])}</Button>
      {isOpen && (
        <Dialog
          title={say(Word['invitations.many.title'], { org: plain(name) })}
          onClose={() => setOpen(false)}
        >
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
          <Button onClick={close}>{say(Word['select.close'])}</Button>
        </div>
      </>
    );
  return (
    <Form
      act={async ({ emails = '', role, locale }) => {
        const addresses = addressesIn(emails);
        if (addresses.length > MOST_AT_ONCE)
          throw new Refused(
            say(Word['invitations.many.tooMany'], { count: addresses.length, max: MOST_AT_ONCE }),
          );
        const { data } = await latchkey.inviteMany({
          org_id,
          emails: addresses,
          role: role as MemberRole,
          ...chosen(locale),
        });
        setResults(data.map(({ email, problem }) => ({ name: email, fault: faultOf(problem) })));
        await readAgain();
      }}
    >
      <TextArea
        label={say(Word['invitations.many.emails'])}
        name="emails"
        hint={say(Word['invitations.many.hint'], { count: MOST_AT_ONCE })}
      />
      <Select
        label={say(Word['users.role'])}
        name="role"
        options={rolesInWords(MEMBER_ROLES)}
        selected="member"
      />
      <LanguageSelect label={say(Word['invitations.language'])} />
      <div class="buttons end">
        <Button onClick={close}>{say(Word['parts.cancel'])}</Button>
        <Submit>{say(Word['invitations.many.verb'])}</Submit>
      </div>
    </Form>
  );
}

function faultOf(problem: { code: string } | null): string {
  if (problem === null) return '';
  return problem.code === 'ValidationFailed'
    ? say(Word['invitations.many.noAddress'])
    : problemInWords(problem);
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
    <Section name="invitations" title={say(Word['invitations.title'])} acts={<InviteMany org={org} />}>
      <Filters others={MEMBER_FILTERS}>
        <ChoiceFilter label={say(Word['users.state'])} name="status" options={statesInWords()} />
      </Filters>
      <List
        from={invitations}
        others={MEMBER_FILTERS}
        caption={say(Word['invitations.caption'])}
        cursor={CURSOR}
        selectable={{
          all: say(Word['invitations.selectAll']),
          some: (count) => say(Word['invitations.selected'], { count }),
          nameOf: ({ email }) => email,
          canSelect: ({ status }) => status === 'pending',
          acts: [
            {
              verb: say(Word['invitations.resend']),
              title: (count) => say(Word['invitations.resend.title'], { count }),
              about: <p>{say(Word['invitations.resend.what'])}</p>,
              act: ({ id }) => latchkey.resendInvitation({ org_id, id }),
            },
            {
              verb: say(Word['invitations.revoke']),
              title: (count) => say(Word['invitations.revoke.title'], { count }),
              isDangerous: true,
              about: <p>{say(Word['invitations.revoke.what'])}</p>,
              act: ({ id }) => latchkey.revokeInvitation({ org_id, id }),
            },
          ],
        }}
        columns={[
          say(Word['field.email']),
          say(Word['users.role']),
          say(Word['users.state']),
          say(Word['invitations.validUntil']),
        ]}
        row={(invitation) => ({
          key: invitation.id,
          cells: [
            <WithAddress key="email">{invitation.email}</WithAddress>,
            roleInWords(invitation.role),
            <span key="state" class={`badge ${LOOKS[invitation.status]}`}>
              {say(Word['invitations.state'], { invitation: invitation.status })}
            </span>,
            invitation.status === 'pending' ? <Time key="until" at={invitation.expires_at} /> : '–',
          ],
          acts: invitation.status === 'pending' && (
            <Acts org_id={org_id} user={user} invitation={invitation} again={invitations.again} />
          ),
        })}
        empty={<p>{say(Word['invitations.empty'])}</p>}
      />
    </Section>
  );
}

/** The states to choose from, in words by their names. */
function statesInWords(): Record<string, string> {
  const states = Object.keys(LOOKS) as Invitation['status'][];
  return Object.fromEntries(
    states.map((invitation) => [invitation, say(Word['invitations.state'], { invitation })]),
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
          announce(say(Word['invitations.resend.done'], { email }));
        }}
      >
        <Submit weight="words" aria-label={say(Word['invitations.resend.one'], { email })}>
          {say(Word['invitations.resend'])}
        </Submit>
      </Form>
      <Ask
        button={say(Word['invitations.revoke'])}
        label={say(Word['invitations.revoke.one'], { email })}
        weight="words danger"
        title={say(Word['invitations.revoke.oneTitle'], { email })}
        isDangerous
        act={async () => {
          await latchkey.revokeInvitation({ org_id, id });
          await again();
          announce(say(Word['invitations.revoke.done'], { email }));
        }}
      >
        <p>{say(Word['invitations.revoke.oneWhat'])}</p>
      </Ask>
    </>
  );
}
