import { useState } from 'preact/hooks';
import { Submit } from '../parts/button.js';
import { Field } from '../parts/field.js';
import { Form } from '../parts/form.js';
import { Card } from '../parts/frame.js';
import { say } from '../parts/notice.js';
import { keepReturnTo } from '../parts/return-to.js';
import { latchkey } from '../parts/service.js';
import { MailSent } from './mail-sent.js';
import { NewPassword } from './reset-password.js';

export function ForgotPassword() {
  const [email, setEmail] = useState('');
  const [code, setCode] = useState('');
  if (code)
    return (
      <Card title="Set a new password" isNew>
        <NewPassword secret={{ code }} of={email} />
      </Card>
    );
  if (email)
    return (
      <MailSent
        enter={async (entered) => {
          await latchkey.previewReset({ code: entered });
          setCode(entered);
        }}
        again={async () => {
          await latchkey.forgotPassword({ email });
          say(`If ${email} has an account, another link is on its way.`);
        }}
      >
        <p>
          If <strong>{email}</strong> has an account, a link is on its way. Open it within an hour to set a
          new password.
        </p>
      </MailSent>
    );
  return (
    <Card title="Forgot your password?">
      <p class="quiet">We send you a link with which you set a new one.</p>
      <Form
        act={async ({ email: address = '' }) => {
          await latchkey.forgotPassword({ email: address });
          setEmail(address);
        }}
      >
        <Field label="Email" name="email" type="email" autocomplete="username" autofocus />
        <Submit>Send me a link</Submit>
      </Form>
      <p>
        <a href={`login${keepReturnTo()}`}>Back to the login</a>
      </p>
    </Card>
  );
}
