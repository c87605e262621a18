import { createLatchkey, isProblem, type Latchkey, type User } from 'latchkey-client';
import { addPasskey, stepUpWithPasskey } from 'latchkey-client/passkeys';
import { useSession } from 'latchkey-client/react';
import { type ReactNode, type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';

/** Where the service is; the bundler puts it in. */
declare const API_URL: string;

const WAYS: Record<string, string> = {
  password: 'Password',
  totp: 'Code of your app',
  recovery_code: 'Recovery code',
};

/** What the dialog asks for at present, and who waits for the answer. */
interface Question {
  methods: string[];
  answer(isProven: boolean): void;
}
let ask: (question: Question) => void = ({ answer }) => answer(false);

const latchkey: Latchkey = createLatchkey(API_URL, {
  stepUp: ({ methods }) => new Promise((answer) => ask({ methods, answer })),
});

function Product() {
  const session = useSession(latchkey);
  if (session.status === 'loading') return <p aria-busy>Loading…</p>;
  if (session.status === 'unreachable') return <p role="alert">{session.problem.message}</p>;
  return session.status === 'in' ? <Account user={session.user} /> : <Login />;
}

function Login() {
  async function logIn({ email = '', password = '' }: Fields) {
    const answer = await latchkey.login({ email, password });
    if ('pending_login' in answer) location.assign(latchkey.page('second-step', location.href));
  }

  return (
    <>
      <Form act="Log in" send={logIn}>
        <Field label="Email" name="email" type="email" autoComplete="username" />
        <Field label="Password" name="password" type="password" autoComplete="current-password" />
      </Form>
      <a href={latchkey.page('login', location.href)}>Log in at the service</a>
    </>
  );
}

function Account({ user }: { user: User }) {
  return (
    <>
      <p>You are logged in as {user.name ?? user.email}.</p>
      <Form act="Save" send={({ name = '' }) => latchkey.updateMe({ name })}>
        <Field label="Name" name="name" defaultValue={user.name ?? ''} autoComplete="name" />
      </Form>
      <Form act="Add a passkey" send={() => addPasskey(latchkey)} />
      <Form act="Log out" send={() => latchkey.logout()} />
      <a href={latchkey.page('security', location.href)}>Sessions and second factors</a>
    </>
  );
}

/** Lets the user prove who they are, for whatever waits for it. */
function StepUp() {
  const [question, setQuestion] = useState<Question | null>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    ask = setQuestion;
  }, []);
  useEffect(() => {
    if (question) dialog.current?.showModal();
  }, [question]);
  if (!question) return null;

  const { methods, answer } = question;
  const close = (isProven: boolean) => {
    setQuestion(null);
    answer(isProven);
  };
  const prove = (proof: () => Promise<unknown>) => async () => {
    await proof();
    close(true);
  };
  return (
    <dialog ref={dialog} aria-label="Confirm that it is you" onClose={() => close(false)}>
      {methods.length === 0 && <a href={latchkey.page('login', location.href)}>Please log in again.</a>}
      {Object.keys(WAYS)
        .filter((way) => methods.includes(way))
        .map((way) => (
          <Form key={way} act="Confirm" send={(fields) => prove(() => latchkey.stepUp(fields))()}>
            <Field label={WAYS[way] ?? way} name={way} type={way === 'password' ? 'password' : 'text'} />
          </Form>
        ))}
      {methods.includes('passkey') && (
        <Form act="Use a passkey" send={prove(() => stepUpWithPasskey(latchkey))} />
      )}
      <button type="button" onClick={() => dialog.current?.close()}>
        Cancel
      </button>
    </dialog>
  );
}

type Fields = Record<string, string>;

/** A form that says in words why the service, or the browser, refused. */
function Form({
  act,
  send,
  children,
}: {
  act: string;
  send(fields: Fields): Promise<unknown>;
  children?: ReactNode;
}) {
  const [fault, setFault] = useState('');

  /** Not as the form's `action`, after which React empties the fields. */
  async function submit(event: SyntheticEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(event.currentTarget)) as Fields;
    setFault('');
    try {
      await send(fields);
    } catch (error) {
      if (isProblem(error))
        setFault(
          [
            error.message,
            ...error.errors.map(({ field, messages }) => `${field} ${messages.join(', ')}`),
          ].join(' '),
        );
      else if (error instanceof DOMException) setFault('You canceled, or it took too long.');
      else throw error;
    }
  }

  return (
    <form onSubmit={submit}>
      {children}
      <button type="submit">{act}</button>
      <p role="alert">{fault}</p>
    </form>
  );
}

function Field({ label, ...input }: { label: string; name: string } & React.ComponentProps<'input'>) {
  return (
    <label>
      {label} <input {...input} />
    </label>
  );
}

createRoot(document.querySelector('main') as HTMLElement).render(
  <>
    <Product />
    <StepUp />
  </>,
);
