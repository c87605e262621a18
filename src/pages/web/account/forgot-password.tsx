import { useState } from 'preact/hooks';
import { Submit } from '../parts/button.js';
import { addressOf } from '../parts/facts.js';
import { Field } from '../parts/field.js';
import { Form } from '../parts/form.js';
import { Card } from '../parts/frame.js';
import { announce } from '../parts/notice.js';
import { keepReturnTo } from '../parts/return-to.js';
import { Rich, say, strong, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';
import { MailSent } from './mail-sent.js';
import { NewPassword } from './reset-password.js';

export function ForgotPassword() {
  const [email, setEmail] = useState('');
  const [entered, setEntered] = useState<{ code: string; of: string }>();
  if (entered)
    return (
      <Card title={say(Word['reset.title'])} isNew>
        <NewPassword secret={{ code: entered.code }} of={entered.of} />
      </Card>
    );
  if (email)
    return (
      <MailSent
        enter={async (code) => {
          // Not the address above: a code of another mail may have been entered.
          setEntered({ code, of: (await latchkey.previewReset({ code })).email });
        }}
        again={async () => {
          await latchkey.forgotPassword({ email });
          announce(say(Word['forgot.resent'], { email }));
        }}
      >
        <p>
          <Rich word={Word['forgot.sent']} given={{ email, strong }} />
        </p>
      </MailSent>
    );
  return (
    <Card title={say(Word['forgot.title'])}>
      <p class="quiet">{say(Word['forgot.what'])}</p>
      <Form
        act={async ({ email: address = '' }) => {
          await latchkey.forgotPassword({ email: address });
          setEmail(address);
        }}
      >
        <Field label={say(Word['field.email'])} name="email" type="email" autocomplete="username" autofocus />
        <Submit>{say(Word['forgot.send'])}</Submit>
      </Form>
      <p>
        <a href={addressOf(`ui/login${keepReturnTo()}`)}>{say(Word['forgot.back'])}</a>
      </p>
    </Card>
  );
}
