import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { isProblem } from '../../../client/problem.js';
import { ButtonLink, Submit } from '../parts/button.js';
import { addressOf } from '../parts/facts.js';
import { Field, PasswordField } from '../parts/field.js';
import { Form } from '../parts/form.js';
import { Card } from '../parts/frame.js';
import { GreyRows, Loaded, useLoad } from '../parts/load.js';
import { addressOfNextLogin, forgetNextLogin } from '../parts/next-login.js';
import { Alert, go } from '../parts/notice.js';
import { keepReturnTo, returnAddress } from '../parts/return-to.js';
import { linkTo, type PlainWord, Rich, say, strong, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';
import { logOut, useSession } from '../parts/session.js';
import { goOn } from './go-on.js';
import { SignupSent } from './mail-sent.js';
import { OtherWays } from './other-ways.js';

/** Why a login through an identity provider failed. */
const REASONS = new Map(
  Object.entries<PlainWord>({
    access_denied: Word['login.failed.denied'],
    invalid_state: Word['login.failed.state'],
    email_not_verified: Word['login.failed.unverified'],
    invitation_required: Word['login.failed.invitationRequired'],
    invitation_invalid: Word['login.failed.invitationInvalid'],
    invitation_conflict: Word['login.failed.invitationConflict'],
    invitation_login_first: Word['login.failed.loginFirst'],
    account_disabled: Word['login.failed.disabled'],
    account_conflict: Word['login.failed.conflict'],
    too_many_requests: Word['login.failed.tooMany'],
    provider_error: Word['login.failed.provider'],
  }),
);

/** Offers what the service names. A user who is logged in goes straight on, except to read why a login failed. */
export function Login() {
  const session = useSession();
  const methods = useLoad(() => latchkey.methods());
  const [failure, setFailure] = useState(failureInAddress);
  const [sentTo, setSentTo] = useState('');
  const isLoggedIn = session.status === 'in';
  const [beganLoggedOut, setBeganLoggedOut] = useState(false);
  const isStillLoggedIn = isLoggedIn && failure !== '' && !beganLoggedOut;
  useEffect(() => {
    if (session.status === 'out' || session.status === 'unreachable') setBeganLoggedOut(true);
    // A login through a provider ends here.
    if (isLoggedIn) forgetNextLogin();
    if (isLoggedIn && !isStillLoggedIn) go(returnAddress());
  }, [session.status]);

  if (session.status === 'in' && isStillLoggedIn)
    return <StillLoggedIn email={session.user.email} failure={failure} />;
  if (isLoggedIn || session.status === 'loading')
    return (
      <Card title={say(Word['login.title'])}>
        <GreyRows />
      </Card>
    );
  if (sentTo) return <SignupSent email={sentTo} />;
  return (
    <Card title={say(Word['login.title'])}>
      {failure && <Alert>{failure}</Alert>}
      <Loaded from={methods}>
        {({ signup, ...ways }) => (
          <>
            <PasswordLogin begin={() => setFailure('')} sent={setSentTo} />
            <OtherWays {...ways} way="continue" />
            <p>
              <a href={addressOf(`ui/forgot-password${keepReturnTo()}`)}>{say(Word['login.forgot'])}</a>
            </p>
            {signup && (
              <p class="quiet">
                <Rich
                  word={Word['login.signup']}
                  given={{ link: linkTo(addressOf(`ui/signup${keepReturnTo()}`)) }}
                />
              </p>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}

function failureInAddress(): string {
  const reason = new URLSearchParams(location.search).get('error');
  return reason === null ? '' : say(REASONS.get(reason) ?? Word['login.failed']);
}

function PasswordLogin({ begin, sent }: { begin: () => void; sent: (email: string) => void }) {
  const [unverified, setUnverified] = useState('');
  const [filled] = useState(addressOfNextLogin);
  useEffect(() => {
    // By itself the focus would stay at the heading, where a form has led here.
    if (filled) document.querySelector<HTMLInputElement>('[name="password"]')?.focus();
  }, []);
  return (
    <>
      <Form
        act={async ({ email = '', password = '' }) => {
          begin();
          try {
            await goOn(await latchkey.login({ email, password }));
          } catch (error) {
            setUnverified(isProblem(error, 'EmailNotVerified') ? email : '');
            throw error;
          }
        }}
      >
        <Field
          label={say(Word['field.email'])}
          name="email"
          type="email"
          autocomplete="username webauthn"
          defaultValue={filled}
          autofocus={!filled}
        />
        <PasswordField label={say(Word['field.password'])} name="password" />
        <Submit>{say(Word['login.title'])}</Submit>
      </Form>
      {unverified && (
        <Form
          act={async () => {
            await latchkey.resendVerification({ email: unverified });
            sent(unverified);
          }}
        >
          <p class="quiet">{say(Word['login.unverified'])}</p>
          <Submit weight="plain">{say(Word['login.again'])}</Submit>
        </Form>
      )}
    </>
  );
}

function StillLoggedIn({ email, failure }: { email: string; failure: string }): ComponentChildren {
  return (
    <Card title={say(Word['login.still.title'])}>
      <Alert>{failure}</Alert>
      <p>
        <Rich word={Word['login.still.who']} given={{ email, strong }} />
      </p>
      <ButtonLink href={returnAddress()}>{say(Word['login.still.continue'])}</ButtonLink>
      <Form act={logOut}>
        <Submit weight="plain">{say(Word['login.still.logOut'])}</Submit>
      </Form>
    </Card>
  );
}
