import { useState } from 'preact/hooks';
import { Submit } from '../parts/button.js';
import { addressOf, facts } from '../parts/facts.js';
import { Field, PasswordField } from '../parts/field.js';
import { Form } from '../parts/form.js';
import { Card } from '../parts/frame.js';
import { useLoad } from '../parts/load.js';
import { keepReturnTo } from '../parts/return-to.js';
import { linkTo, Rich, say, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';
import { timeZone } from '../parts/time-zone.js';
import { SignupSent } from './mail-sent.js';
import { OtherWays } from './other-ways.js';

export function Signup() {
  const [email, setEmail] = useState('');
  const methods = useLoad(() => latchkey.methods());
  if (email)
    return (
      <SignupSent
        email={email}
        after={
          <p class="quiet">
            <Rich
              word={Word['signup.wrongAddress']}
              given={{ link: linkTo(addressOf(`ui/signup${keepReturnTo()}`)) }}
            />
          </p>
        }
      />
    );
  return (
    <Card title={say(Word['signup.title'])}>
      <Form
        act={async ({ email: address = '', password = '', name, org_name }) => {
          const account = { email: address, password, ...timeZone(), ...(name && { name }) };
          if (org_name) await latchkey.signupOrg({ ...account, org_name });
          else await latchkey.signup(account);
          setEmail(address);
        }}
      >
        <Field
          label={say(Word['field.email'])}
          name="email"
          type="email"
          autocomplete="username webauthn"
          autofocus
        />
        <PasswordField label={say(Word['field.password'])} name="password" isNew />
        <Field label={say(Word['field.name'])} name="name" autocomplete="name" isOptional />
        <Field
          label={say(Word['signup.organization'])}
          name="org_name"
          autocomplete="organization"
          isOptional
          hint={say(Word['signup.organizationHint'])}
        />
        <Submit>{say(Word['signup.title'])}</Submit>
        <Agreement />
      </Form>
      {/* What fails here is at the login too: the form is there without it. */}
      {methods.state === 'loaded' && <OtherWays {...methods.data} way="signup" />}
      <p class="quiet">
        <Rich word={Word['signup.login']} given={{ link: linkTo(addressOf(`ui/login${keepReturnTo()}`)) }} />
      </p>
    </Card>
  );
}

/** What the product's owner wants users to accept; they read it where the settings name it. */
export function Agreement() {
  const { termsUrl, privacyUrl } = facts;
  if (!termsUrl && !privacyUrl) return null;
  const [terms, privacy] = [termsUrl, privacyUrl].map((url) => url && linkTo(url));
  return (
    <p class="quiet">
      {terms && privacy && <Rich word={Word['signup.both']} given={{ terms, privacy }} />}
      {terms && !privacy && <Rich word={Word['signup.terms']} given={{ terms }} />}
      {privacy && !terms && <Rich word={Word['signup.privacy']} given={{ privacy }} />}
    </p>
  );
}
