import { useState } from 'preact/hooks';
import { isProblem } from '../../../client/problem.js';
import { Submit } from '../parts/button.js';
import { facts } from '../parts/facts.js';
import { Field, PasswordField } from '../parts/field.js';
import { Form, Refused } from '../parts/form.js';
import { Card } from '../parts/frame.js';
import { useLoad } from '../parts/load.js';
import { keepReturnTo } from '../parts/return-to.js';
import { latchkey } from '../parts/service.js';
import { goOn } from './go-on.js';
import { MailSent, resend } from './mail-sent.js';
import { OtherWays } from './other-ways.js';

export function Signup() {
  const [email, setEmail] = useState('');
  const methods = useLoad(() => latchkey.methods());
  if (email)
    return (
      <MailSent
        enter={confirm}
        again={() => resend(email)}
        after={
          <p class="quiet">
            Was the address wrong? <a href={`signup${keepReturnTo()}`}>Sign up with another one</a>
          </p>
        }
      >
        <p>
          We have sent a link to <strong>{email}</strong>. Open it within a day to continue.
        </p>
      </MailSent>
    );
  return (
    <Card title="Sign up">
      <Form
        act={async ({ email: address = '', password = '', name, org_name }) => {
          const account = { email: address, password, ...(name && { name }) };
          if (org_name) await latchkey.signupOrg({ ...account, org_name });
          else await latchkey.signup(account);
          setEmail(address);
        }}
      >
        <Field label="Email" name="email" type="email" autocomplete="username webauthn" autofocus />
        <PasswordField label="Password" name="password" isNew />
        <Field label="Name" name="name" autocomplete="name" isOptional />
        <Field
          label="Organization"
          name="org_name"
          autocomplete="organization"
          isOptional
          hint="Name one to found it: you become its admin, and invite others."
        />
        <Submit>Sign up</Submit>
        <Agreement />
      </Form>
      {/* What fails here is at the login too: the form is there without it. */}
      {methods.state === 'loaded' && <OtherWays {...methods.data} verb="Sign up with" />}
      <p class="quiet">
        You have an account? <a href={`login${keepReturnTo()}`}>Log in</a>
      </p>
    </Card>
  );
}

/** Goes on as the page does that the link leads to. */
async function confirm(code: string): Promise<void> {
  try {
    await goOn(await latchkey.verifyEmail({ code }), 'Your address is confirmed, and you are logged in.');
  } catch (error) {
    if (!isProblem(error, 'PasswordRequired')) throw error;
    throw new Refused('This is not the browser that signed up. Open the link in the email.');
  }
}

/** What the product's owner wants users to accept; they read it where the settings name it. */
export function Agreement() {
  const { termsUrl, privacyUrl } = facts;
  if (!termsUrl && !privacyUrl) return null;
  return (
    <p class="quiet">
      By going on you accept {termsUrl && <a href={termsUrl}>the terms</a>}
      {termsUrl && privacyUrl && ' and '}
      {privacyUrl && <a href={privacyUrl}>the privacy policy</a>}.
    </p>
  );
}
