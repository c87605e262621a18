import { loginWithPasskey } from 'latchkey-client/passkeys';
import {
  type Entry,
  type EntryStep,
  useLatchkey,
  useLogin,
  useSession,
  useSignup,
} from 'latchkey-client/react';
import type { ReactNode } from 'react';
import { Field, Form } from './form.js';
import { MailedCode } from './mailed-code.js';

/** Shows its children to a user who has logged in, and else the form of the step at hand. */
export function Login({ children }: { children: ReactNode }) {
  const latchkey = useLatchkey();
  const session = useSession();
  const login = useLogin({ resume: location.pathname === '/second-step' });
  const { problem } = login;
  if (session.status === 'unreachable') return <p role="alert">{session.problem.message}</p>;
  if (login.step === 'done') return children;
  if (login.step !== 'credentials') return <SecondStep {...login} />;
  return (
    <>
      <Form
        act="Log in"
        problem={problem}
        send={({ email = '', password = '' }) => login.logIn({ email, password })}
      >
        <Field label="Email" name="email" type="email" autoComplete="username" />
        <Field label="Password" name="password" type="password" autoComplete="current-password" />
      </Form>
      <MailedCode {...login} />
      <a href="/signup">Sign up</a>{' '}
      <a href={latchkey.page('login', `${location.origin}/`)}>Log in at the service</a>
    </>
  );
}

/** The pages of the signup: the form, and the one that the link in the mail leads to, which has a token. */
export function Signup({ token, children }: { token: string | null; children: ReactNode }) {
  const signup = useSignup({ token });
  const { problem } = signup;
  switch (signup.step) {
    case 'details':
      return (
        <Form
          act="Sign up"
          problem={problem}
          send={({ email = '', password = '', org_name }) => signup.signUp({ email, password, org_name })}
        >
          <Field label="Email" name="email" type="email" autoComplete="username" />
          <Field label="Password" name="password" type="password" autoComplete="new-password" />
          <Field label="Organization" name="org_name" autoComplete="organization" />
        </Form>
      );
    case 'mail-sent':
      return (
        <>
          <p>We have sent a link to {signup.email}.</p>
          <Form act="Send it again" problem={problem} send={signup.resend} />
        </>
      );
    case 'confirm':
      return <Form act="Confirm my address" problem={problem} send={() => signup.confirm()} />;
    case 'password':
      return (
        <Form
          act="Confirm my address"
          problem={problem}
          send={({ password = '' }) => signup.confirm({ password })}
        >
          <Field label="Password" name="password" type="password" autoComplete="current-password" />
        </Form>
      );
    case 'done':
      return children;
    default:
      return <SecondStep {...signup} />;
  }
}

/** The steps that a login and a signup may have in common. */
function SecondStep(entry: EntryStep & Entry) {
  const latchkey = useLatchkey();
  const { problem } = entry;
  switch (entry.step) {
    case 'second-step':
      return (
        <>
          <Form
            act="Confirm"
            problem={problem}
            send={({ totp = '', recovery_code = '' }) =>
              entry.completeLogin(totp ? { totp } : { recovery_code })
            }
          >
            <Field label="Code of your app" name="totp" autoComplete="one-time-code" />
            <Field label="or a recovery code" name="recovery_code" autoComplete="off" />
          </Form>
          {entry.pending.methods.includes('passkey') && (
            <Form
              act="Use a passkey"
              send={() => entry.attempt(() => loginWithPasskey(latchkey, { secondStep: true }))}
            />
          )}
          <Form act="Cancel" send={entry.cancel} />
        </>
      );
    case 'set-up':
      return (
        <>
          <p>Your account needs a second factor.</p>
          <Form act="I have an app" problem={problem} send={entry.beginSetUp} />
          <Form act="Cancel" send={entry.cancel} />
        </>
      );
    case 'confirm-app':
      return (
        <>
          <p>
            Add this secret to your app: <code>{entry.secret}</code>
          </p>
          <Form act="Confirm" problem={problem} send={({ code = '' }) => entry.confirmApp(code)}>
            <Field label="Code of your app" name="code" autoComplete="one-time-code" />
          </Form>
        </>
      );
    case 'recovery-codes':
      return (
        <>
          <p>Keep these codes. Each of them logs you in once, when you do not have your app.</p>
          <ul>
            {entry.codes.map((code) => (
              <li key={code}>{code}</li>
            ))}
          </ul>
          <Form act="I have kept them" send={entry.keepCodes} />
        </>
      );
    default:
      return <p aria-busy>Loading…</p>;
  }
}
