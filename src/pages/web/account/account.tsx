import { useEffect, useState } from 'preact/hooks';
import { WithAddress } from '../parts/address.js';
import { Submit } from '../parts/button.js';
import { Ask } from '../parts/dialog.js';
import { addressOf } from '../parts/facts.js';
import { Field, PasswordField } from '../parts/field.js';
import { Form, leaveFor } from '../parts/form.js';
import { Section } from '../parts/frame.js';
import { LinkedSince } from '../parts/linked-since.js';
import { Loaded, useLoad } from '../parts/load.js';
import { Alert, announce, go } from '../parts/notice.js';
import { pathBelowUi, titleOf } from '../parts/providers.js';
import { Row, Rows } from '../parts/rows.js';
import { type PlainWord, Rich, say, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';
import { endSession, type User } from '../parts/session.js';
import { Time } from '../parts/time.js';
import { roleInWords } from '../parts/words.js';
import { AccountPage } from './account-page.js';
import { KEY } from './icons.js';
import { MailLanguage } from './mail-language.js';
import { MailedCodeField } from './mailed-code.js';
import { Organizations } from './organizations.js';

export function Account() {
  return (
    <AccountPage title={say(Word['account.title'])}>
      {(user, organizations) => (
        <>
          <Profile user={user} />
          <Organizations user={user} organizations={organizations} />
          <Logins />
          <OwnCopy />
          <Deletion user={user} />
        </>
      )}
    </AccountPage>
  );
}

function Profile({ user }: { user: User }) {
  const { email, name, role, has_password } = user;
  const changes = useLoad(() => latchkey.listEmailChanges());
  return (
    <Section name="profile" title={say(Word['account.profile'])}>
      <Rows>
        <Row
          label={say(Word['field.name'])}
          acts={
            <Ask
              button={say(Word['account.change'])}
              label={say(Word['account.name.change'])}
              title={say(Word['account.name.title'])}
              verb={say(Word['account.name.save'])}
              act={async ({ name: other = '' }) => {
                await latchkey.updateMe({ name: other });
                announce(say(Word['account.name.done'], { name: other }));
              }}
            >
              <Field
                label={say(Word['field.name'])}
                name="name"
                autocomplete="name"
                defaultValue={name ?? ''}
                autofocus
              />
            </Ask>
          }
        >
          <bdi>{name ?? say(Word['account.name.none'])}</bdi>
        </Row>
        <Row
          label={say(Word['field.email'])}
          acts={
            <Ask
              button={say(Word['account.change'])}
              label={say(Word['account.email.change'])}
              title={say(Word['account.email.change'])}
              verb={say(Word['account.email.send'])}
              act={async ({ new_email = '', current_password }) => {
                await latchkey.changeEmail({ new_email, ...(current_password && { current_password }) });
                await changes.again();
                announce(say(Word['account.email.sent'], { email: new_email }));
              }}
            >
              <p class="quiet">{say(Word['account.email.keeps'])}</p>
              <Field
                label={say(Word['account.email.new'])}
                name="new_email"
                type="email"
                autocomplete="email"
                autofocus
              />
              {has_password && (
                <PasswordField
                  label={say(Word['parts.proof.password'])}
                  name="current_password"
                  faults="IncorrectPassword"
                />
              )}
            </Ask>
          }
        >
          <WithAddress>{email}</WithAddress>
        </Row>
        {changes.state === 'loaded' && changes.data.data.length > 0 && (
          <Row
            label={say(Word['account.email.new'])}
            note={
              <Rich
                word={Word['account.email.open']}
                given={{ deadline: <Time at={changes.data.data[0]?.expires_at ?? ''} as="moment" /> }}
              />
            }
            acts={
              <>
                <Ask
                  button={say(Word['account.email.enterCode'])}
                  title={say(Word['account.email.move'])}
                  verb={say(Word['parts.continue'])}
                  act={async ({ code = '' }) => {
                    await latchkey.confirmEmail({ code });
                    await go(addressOf('ui/account'), say(Word['confirm.done']));
                  }}
                >
                  <MailedCodeField autofocus />
                </Ask>
                <Form
                  act={async () => {
                    await latchkey.cancelEmailChange();
                    await changes.again();
                    announce(say(Word['account.email.canceled']));
                  }}
                >
                  <Submit weight="words" aria-label={say(Word['account.email.cancel'])}>
                    {say(Word['parts.cancel'])}
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
        <MailLanguage user={user} />
        {role === 'sys_admin' && (
          <Row
            label={say(Word['account.role'])}
            acts={
              <a class="button words" href={addressOf('admin')}>
                {say(Word['account.manage'])}
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

/** Why no login was linked. */
const LINK_FAILURES = new Map(
  Object.entries<PlainWord>({
    access_denied: Word['login.failed.denied'],
    invalid_state: Word['login.failed.state'],
    identity_taken: Word['account.link.taken'],
    account_conflict: Word['account.link.another'],
    session_ended: Word['account.link.ended'],
    account_disabled: Word['login.failed.disabled'],
    too_many_requests: Word['login.failed.tooMany'],
    provider_error: Word['login.failed.provider'],
  }),
);

/** The logins at identity providers that are linked, and those that can be. */
function Logins() {
  const [outcome] = useState(() => new URLSearchParams(location.search));
  const failure = outcome.get('error');
  const logins = useLoad(async () => {
    const [identities, methods] = await Promise.all([latchkey.listIdentities(), latchkey.methods()]);
    const named = identities.data.map((identity) => ({
      ...identity,
      title: titleOf(identity, methods.providers),
    }));
    const linked = new Set(identities.data.map(({ provider }) => provider));
    return { identities: named, others: methods.providers.filter(({ id }) => !linked.has(id)) };
  });
  useEffect(() => {
    if (logins.state !== 'loaded') return;
    // Anyone can write a link that says so: what the service lists is true.
    const linked = logins.data.identities.find(({ provider }) => provider === outcome.get('linked'));
    if (linked && outcome.has('linked')) announce(say(Word['account.link.done'], { provider: linked.title }));
    // A reload says nothing of it again.
    if (outcome.has('linked') || outcome.has('error'))
      history.replaceState(null, '', addressOf('ui/account'));
    outcome.delete('linked');
  }, [logins.state]);
  if (logins.state === 'loaded' && logins.data.identities.length + logins.data.others.length === 0)
    return null;
  return (
    <Section name="linked-logins" title={say(Word['account.logins'])}>
      {failure && <Alert>{say(LINK_FAILURES.get(failure) ?? Word['login.failed'])}</Alert>}
      <Loaded from={logins} rows={1}>
        {({ identities, others }, again) => (
          <>
            <Rows>
              {identities.map(({ id, title, email, created_at }) => (
                <Row
                  key={id}
                  icon={KEY}
                  note={<LinkedSince email={email} day={<Time at={created_at} as="day" />} />}
                  acts={
                    <Ask
                      button={say(Word['account.unlink'])}
                      label={say(Word['account.unlink.named'], { provider: title })}
                      weight="words danger"
                      title={say(Word['account.unlink.title'], { provider: title })}
                      isDangerous
                      act={async () => {
                        await latchkey.unlinkIdentity({ id });
                        await again();
                        announce(say(Word['account.unlink.done'], { provider: title }));
                      }}
                    >
                      <p>{say(Word['account.unlink.what'])}</p>
                    </Ask>
                  }
                >
                  <strong>{title}</strong>
                </Row>
              ))}
              {others.length > 0 && (
                <Row icon={KEY} note={say(Word['account.link.what'])}>
                  {say(Word['account.link.title'])}
                </Row>
              )}
            </Rows>
            {others.length > 0 && <LinkingButtons providers={others} />}
          </>
        )}
      </Loaded>
    </Section>
  );
}

function LinkingButtons({ providers }: { providers: { id: string; title: string }[] }) {
  return (
    <Form
      act={async ({ provider = '' }) => {
        const flow = { via: 'ui', return_to: pathBelowUi('/account') } as const;
        const { authorization_url } = await latchkey.linkIdentity({ provider, ...flow });
        await leaveFor(authorization_url);
      }}
    >
      {providers.map(({ id, title }) => (
        <Submit key={id} weight="plain" name="provider" value={id}>
          {say(Word['account.link.with'], { provider: title })}
        </Submit>
      ))}
    </Form>
  );
}

function OwnCopy() {
  return (
    <Section name="own-copy" title={say(Word['account.copy'])}>
      <Rows>
        <Row
          acts={
            <Form
              act={async () => {
                saveAs('account.json', await latchkey.call('GET /users/me/export'));
                announce(say(Word['account.copy.done']));
              }}
            >
              <Submit weight="words" aria-label={say(Word['account.copy.named'])}>
                {say(Word['account.copy.button'])}
              </Submit>
            </Form>
          }
        >
          {say(Word['account.copy.what'])}
        </Row>
      </Rows>
    </Section>
  );
}

/** A link could not ask for the proof that the service wants first. */
function saveAs(name: string, content: object): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([JSON.stringify(content, null, 2)], { type: 'application/json' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

function Deletion({ user: { has_password } }: { user: User }) {
  return (
    <Section name="delete-the-account" title={say(Word['account.delete'])}>
      <Rows>
        <Row
          acts={
            <Ask
              button={say(Word['account.delete.button'])}
              label={say(Word['account.delete.named'])}
              weight="words danger"
              title={say(Word['account.delete.title'])}
              verb={say(Word['account.delete.verb'])}
              isDangerous
              act={({ current_password }) =>
                endSession(
                  () => latchkey.deleteMe(current_password ? { current_password } : {}),
                  addressOf('ui/login'),
                  say(Word['account.delete.done']),
                )
              }
            >
              <p>{say(Word['account.delete.what'])}</p>
              {has_password && (
                <PasswordField
                  label={say(Word['parts.proof.password'])}
                  name="current_password"
                  faults="IncorrectPassword"
                  autofocus
                />
              )}
            </Ask>
          }
        >
          {say(Word['account.delete.never'])}
        </Row>
      </Rows>
    </Section>
  );
}
