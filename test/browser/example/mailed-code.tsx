import { type Entry, useLatchkey } from 'latchkey-client/react';
import { useEffect, useState } from 'react';
import { Field, Form } from './form.js';

/** Logs in with a mailed code, where the service has that: asks for the mail, and takes its code. */
export function MailedCode({ attempt }: Pick<Entry, 'attempt'>) {
  const latchkey = useLatchkey();
  const [isOffered, setOffered] = useState(false);
  const [sentTo, setSentTo] = useState('');
  useEffect(() => {
    latchkey.methods().then(
      ({ email_code }) => setOffered(email_code),
      () => {},
    );
  }, [latchkey]);
  if (!isOffered) return null;
  if (sentTo)
    return (
      <>
        <p>If {sentTo} has an account, a code is on its way.</p>
        <Form
          act="Log in with the code"
          send={({ code = '' }) => attempt(() => latchkey.emailCodeLogin({ code }))}
        >
          <Field label="Code" name="code" autoComplete="one-time-code" />
        </Form>
      </>
    );
  const ask = async ({ address = '' }) => {
    await latchkey.beginEmailCodeLogin({ email: address });
    setSentTo(address);
  };
  return (
    <Form act="Email me a code" send={ask}>
      <Field label="Address for a code" name="address" type="email" autoComplete="email" />
    </Form>
  );
}
