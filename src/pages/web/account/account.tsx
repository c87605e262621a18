import { WithAddress } from '../parts/address.js';
import { Submit } from '../parts/button.js';
import { counted } from '../parts/counted.js';
import { Ask } from '../parts/dialog.js';
import { addressOf, facts } from '../parts/facts.js';
import { Field, PasswordField } from '../parts/field.js';
import { Form } from '../parts/form.js';
import { AccountPage, Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import { go, say } from '../parts/notice.js';
import { Providers, titleOf } from '../parts/providers.js';
import { returnHere } from '../parts/return-to.js';
import { Row, Rows } from '../parts/rows.js';
import { latchkey } from '../parts/service.js';
import { endSession, type User } from '../parts/session.js';
import { Time } from '../parts/time.js';
import { plain, roleInWords } from '../parts/words.js';
import { MailedCodeField } from './mailed-code.js';

export function Account() {
  return (
    <AccountPage title="Your account">
      {(user) => (
        <>
          <Profile user={user} />
          {user.org_id !== null && <Organization key={user.org_id} user={user} id={user.org_id} />}
          {user.org_id === null && !facts.isB2b && user.role !== 'readonly' && <Founding />}
          <Logins />
          <Deletion user={user} />
        </>
      )}
    </AccountPage>
  );
}

function Profile({ user: { email, name, role, has_password } }: { user: User }) {
  const changes = useLoad(() => latchkey.listEmailChanges());
  return (
    <Section title="Profile">
      <Rows>
        <Row
          label="Name"
          acts={
            <Ask
              button="Change"
              label="Change your name"
              title="Your name"
              verb="Save"
              act={async ({ name: other = '' }) => {
                await latchkey.updateMe({ name: other });
                say(`Your name is ${other} now.`);
              }}
            >
              <Field label="Name" name="name" autocomplete="name" defaultValue={name ?? ''} autofocus />
            </Ask>
          }
        >
          <bdi>{name ?? 'Not given'}</bdi>
        </Row>
        <Row
          label="Email"
          acts={
            <Ask
              button="Change"
              label="Change your email address"
              title="Change your email address"
              verb="Send a link there"
              act={async ({ new_email = '', current_password }) => {
                await latchkey.changeEmail({ new_email, ...(current_password && { current_password }) });
                await changes.again();
                say(`We have sent a link to ${new_email}. Open it to finish the change.`);
              }}
            >
              <p class="quiet">Your account keeps the present address until you open the link.</p>
              <Field label="New email" name="new_email" type="email" autocomplete="email" autofocus />
              {has_password && (
                <PasswordField label="Your password" name="current_password" faults="IncorrectPassword" />
              )}
            </Ask>
          }
        >
          <WithAddress>{email}</WithAddress>
        </Row>
        {changes.state === 'loaded' && changes.data.data.length > 0 && (
          <Row
            label="New email"
            note={
              <>
                Not confirmed. Open the link that we sent there, until{' '}
                <Time at={changes.data.data[0]?.expires_at ?? ''} as="moment" />.
              </>
            }
            acts={
              <>
                <Ask
                  button="Enter code"
                  title="Move your account"
                  verb="Continue"
                  act={async ({ code = '' }) => {
                    await latchkey.confirmEmail({ code });
                    await go(addressOf('ui/account'), 'Your account has the new address.');
                  }}
                >
                  <MailedCodeField autofocus />
                </Ask>
                <Form
                  act={async () => {
                    await latchkey.cancelEmailChange();
                    await changes.again();
                    say('Your account keeps its address. The link to the new one no longer works.');
                  }}
                >
                  <Submit weight="words" aria-label="Cancel the change of your email address">
                    Cancel
                  </Submit>
                </Form>
              </>
            }
          >
            {changes.data.data.map(({ new_email }) => (
              <div key={new_email}>
                <WithAddress>{new_email}</WithAddress>
              </div>
            ))}
          </Row>
        )}
        {role === 'sys_admin' && (
          <Row
            label="Role"
            acts={
              <a class="button words" href={addressOf('admin')}>
                Manage
              </a>
            }
          >
            {roleInWords(role)}
          </Row>
        )}
      </Rows>
    </Section>
  );
}

function Organization({ user, id }: { user: User; id: string }) {
  const org = useLoad(() => latchkey.getOrg({ org_id: id }));
  return (
    <Section title="Organization">
      <Loaded from={org} rows={1}>
        {({ org: { name, member_count } }) => (
          <Rows>
            <Row
              icon="building"
              note={`${roleInWords(user.role)}, one of ${counted(member_count, 'member')}`}
              acts={
                <>
                  {(user.role === 'org_admin' || user.role === 'sys_admin') && (
                    <a class="button words" href={addressOf('admin')}>
                      Manage
                    </a>
                  )}
                  <Ask
                    button="Leave"
                    label={`Leave ${plain(name)}`}
                    weight="words danger"
                    title={`Leave ${plain(name)}?`}
                    verb="Leave"
                    isDangerous
                    act={async () => {
                      await latchkey.removeMember({ org_id: id, user_id: user.id });
                      await latchkey.session.refresh();
                      say(`You have left ${plain(name)}.`);
                    }}
                  >
                    <p>
                      You keep your account, without access to what belongs to the organization. To come back
                      you need an invitation.
                    </p>
                    {member_count === 1 && <p>You are its only member: the organization ends.</p>}
                  </Ask>
                </>
              }
            >
              <strong>
                <bdi>{name}</bdi>
              </strong>
            </Row>
          </Rows>
        )}
      </Loaded>
    </Section>
  );
}

/** For a user who began alone. */
function Founding() {
  return (
    <Section title="Organization">
      <Rows>
        <Row
          icon="building"
          note="Create one to work with others: you become its admin, and invite them."
          acts={
            <Ask
              button="Create"
              label="Create an organization"
              title="Create an organization"
              verb="Create"
              act={async ({ name = '' }) => {
                await latchkey.foundOrg({ name });
                await latchkey.session.refresh();
                say(`You have founded ${name}, and are its admin.`);
              }}
            >
              <Field label="Name of the organization" name="name" autocomplete="organization" autofocus />
            </Ask>
          }
        >
          You belong to none.
        </Row>
      </Rows>
    </Section>
  );
}

/** The logins at identity providers that are linked. Linking one is a login there, with the same address. */
function Logins() {
  const logins = useLoad(async () => {
    const [identities, methods] = await Promise.all([latchkey.listIdentities(), latchkey.methods()]);
    const named = identities.data.map((identity) => ({
      ...identity,
      title: titleOf(identity, methods.providers),
    }));
    const linked = new Set(identities.data.map(({ provider }) => provider));
    return { identities: named, others: methods.providers.filter(({ id }) => !linked.has(id)) };
  });
  if (logins.state === 'loaded' && logins.data.identities.length + logins.data.others.length === 0)
    return null;
  return (
    <Section title="Linked logins">
      <Loaded from={logins} rows={1}>
        {({ identities, others }, again) => (
          <>
            <Rows>
              {identities.map(({ id, title, email, created_at }) => (
                <Row
                  key={id}
                  icon="key"
                  note={
                    <>
                      {email && <WithAddress>{`${email}, `}</WithAddress>}linked{' '}
                      <Time at={created_at} as="day" />
                    </>
                  }
                  acts={
                    <Ask
                      button="Unlink"
                      label={`Unlink ${title}`}
                      weight="words danger"
                      title={`Unlink ${title}?`}
                      verb="Unlink it"
                      isDangerous
                      act={async () => {
                        await latchkey.unlinkIdentity({ id });
                        await again();
                        say(`${title} no longer logs you in.`);
                      }}
                    >
                      <p>You then log in with your password, a passkey, or another linked login.</p>
                    </Ask>
                  }
                >
                  <strong>{title}</strong>
                </Row>
              ))}
              {others.length > 0 && (
                <Row
                  icon="key"
                  note="It must have the address of this account, or it opens another one. One that you unlinked is linked again only here, within ten minutes of a login."
                >
                  Link another login
                </Row>
              )}
            </Rows>
            <Providers
              providers={others}
              verb="Continue with"
              flow={{ return_to: `/login${returnHere()}` }}
            />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Deletion({ user: { has_password } }: { user: User }) {
  return (
    <Section title="Delete the account">
      <Rows>
        <Row
          acts={
            <Ask
              button="Delete"
              label="Delete your account"
              weight="words danger"
              title="Delete your account?"
              verb="Delete it for good"
              isDangerous
              act={({ current_password }) =>
                endSession(
                  () => latchkey.deleteMe(current_password ? { current_password } : {}),
                  addressOf('ui/login'),
                  'Your account is deleted.',
                )
              }
            >
              <p>
                Your account, its sessions and its linked logins go at once and cannot be brought back. An
                organization of which you are the only member ends with it.
              </p>
              {has_password && (
                <PasswordField
                  label="Your password"
                  name="current_password"
                  faults="IncorrectPassword"
                  autofocus
                />
              )}
            </Ask>
          }
        >
          This cannot be undone.
        </Row>
      </Rows>
    </Section>
  );
}
