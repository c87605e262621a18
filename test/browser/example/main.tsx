import { createLatchkey } from 'latchkey-client';
import { type AdminLatchkey, withAdmin } from 'latchkey-client/admin';
import { addPasskey, stepUpWithPasskey } from 'latchkey-client/passkeys';
import { LatchkeyProvider, Protect, useOrganization, useUser } from 'latchkey-client/react';
import { useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { ActingBanner } from './acting.js';
import { Login, Signup } from './entry.js';
import { Field, type Fields, Form } from './form.js';

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

const latchkey: AdminLatchkey = withAdmin(
  createLatchkey(API_URL, {
    stepUp: ({ methods }) => new Promise((answer) => ask({ methods, answer })),
  }),
);

/** A link of a mail has a token, which is taken out of the address before anything else. */
const token = new URLSearchParams(location.search).get('token');
if (token) history.replaceState(null, '', location.pathname);

function Product() {
  if (token || location.pathname === '/signup')
    return (
      <Signup token={token}>
        <Account />
      </Signup>
    );
  return (
    <Login>
      <Account />
    </Login>
  );
}

function Account() {
  const user = useUser();
  if (!user) return null;
  return (
    <>
      <p>You are logged in as {user.name ?? user.email}.</p>
      <Team />
      <Form act="Save" send={({ name = '' }) => latchkey.updateMe({ name })}>
        <Field label="Name" name="name" defaultValue={user.name ?? ''} autoComplete="name" />
      </Form>
      <Form act="Add a passkey" send={() => addPasskey(latchkey)} />
      <Form act="Log out" send={() => latchkey.logout()} />
      <a href={latchkey.page('security', location.href)}>Sessions and second factors</a>
    </>
  );
}

/** The organization of the user, which its admins may rename. */
function Team() {
  const { organization, refresh } = useOrganization();
  if (!organization) return null;
  const rename = async ({ team = '' }: Fields) => {
    await latchkey.updateOrg({ org_id: organization.id, name: team });
    await refresh();
  };
  return (
    <>
      <p>You belong to {organization.name}.</p>
      <Protect role="org_admin" fallback={<p>Its admins can rename it.</p>}>
        <Form act="Rename" send={rename}>
          <Field label="Organization" name="team" defaultValue={organization.name} autoComplete="off" />
        </Form>
      </Protect>
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

createRoot(document.querySelector('main') as HTMLElement).render(
  <LatchkeyProvider client={latchkey}>
    <ActingBanner stop={() => latchkey.call('POST /auth/stop-acting')} />
    <Product />
    <StepUp />
  </LatchkeyProvider>,
);
