import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { isProblem } from '../../../client/problem.js';
import { ButtonLink, Submit } from '../parts/button.js';
import { facts } from '../parts/facts.js';
import { Field, PasswordField } from '../parts/field.js';
import { Form } from '../parts/form.js';
import { Card } from '../parts/frame.js';
import { GreyRows, Loaded, useLoad } from '../parts/load.js';
import { addressOfNextLogin, forgetNextLogin } from '../parts/next-login.js';
import { Alert, go } from '../parts/notice.js';
import { keepReturnTo, returnAddress } from '../parts/return-to.js';
import { latchkey } from '../parts/service.js';
import { logOut, useSession } from '../parts/session.js';
import { goOn } from './go-on.js';
import { resend } from './mail-sent.js';
import { OtherWays } from './other-ways.js';

/** Why a login through an identity provider failed. */
const REASONS = new Map(
  Object.entries({
    access_denied: 'The login was cancelled.',
    invalid_state: 'The login took too long, or began in another browser. Please try again.',
    email_not_verified: 'The provider has not verified your address. Confirm it there, and try again.',
    invitation_required: 'You need an invitation to join. If you have one, open the link in its mail.',
    invitation_invalid:
      'This invitation has ended, or is for another address than that of your account at the provider.',
    invitation_conflict: 'Your account belongs to another organization. Leave it before you join this one.',
    invitation_login_first:
      'Log in first, with your second step. Then open the link of the invitation again.',
    account_disabled: 'This account is disabled.',
    account_conflict:
      'This login is not linked to your account here. Log in another way, and link it in your account. If the account changed its address less than three days ago, this address is free again after that.',
    too_many_requests: 'Too many logins came from your network. Please wait some minutes, and try again.',
    provider_error: 'The provider does not answer as it should. Please try again.',
  }),
);

/** Offers what the service names. A user who is logged in goes straight on, except to read why a login failed. */
export function Login() {
  const session = useSession();
  const methods = useLoad(() => latchkey.methods());
  const [failure, setFailure] = useState(failureInAddress);
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
      <Card title="Log in">
        <GreyRows />
      </Card>
    );
  return (
    <Card title="Log in">
      {failure && <Alert>{failure}</Alert>}
      <Loaded from={methods}>
        {({ passkey, providers, signup }) => (
          <>
            <PasswordLogin begin={() => setFailure('')} />
            <OtherWays passkey={passkey} providers={providers} verb="Continue with" />
            <p>
              <a href={`forgot-password${keepReturnTo()}`}>Forgot your password?</a>
            </p>
            {signup && (
              <p class="quiet">
                No account yet? <a href={`signup${keepReturnTo()}`}>Sign up</a>
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
  return reason === null ? '' : (REASONS.get(reason) ?? 'The login failed.');
}

function PasswordLogin({ begin }: { begin: () => void }) {
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
          label="Email"
          name="email"
          type="email"
          autocomplete="username webauthn"
          defaultValue={filled}
          autofocus={!filled}
        />
        <PasswordField label="Password" name="password" />
        <Submit>Log in</Submit>
      </Form>
      {unverified && (
        <Form act={() => resend(unverified)}>
          <p class="quiet">The link is in the mail that we sent when you signed up.</p>
          <Submit weight="plain">Send the link again</Submit>
        </Form>
      )}
    </>
  );
}

function StillLoggedIn({ email, failure }: { email: string; failure: string }): ComponentChildren {
  return (
    <Card title="That did not work">
      <Alert>{failure}</Alert>
      <p>
        Nothing was changed. You are still logged in as <strong>{email}</strong>.
      </p>
      <ButtonLink href={returnAddress()}>Continue with this account</ButtonLink>
      <Form act={logOut}>
        <Submit weight="plain">Log out of {facts.product}</Submit>
      </Form>
    </Card>
  );
}
