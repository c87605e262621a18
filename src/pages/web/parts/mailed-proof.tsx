import { useState } from 'preact/hooks';
import { Submit } from './button.js';
import { Field } from './field.js';
import { Form } from './form.js';
import { loadLateWords, Rich, say, strong, Word } from './say.js';
import { latchkey } from './service.js';

// Before any of it is shown.
await loadLateWords();

/** Lets the user prove who they are by a code that is mailed to them: asks for the mail, and takes its code. */
export function MailedProof({ proven }: { proven: () => void }) {
  const [email, setEmail] = useState('');

  async function send(): Promise<void> {
    await latchkey.call('POST /auth/step-up/code');
    const session = latchkey.session.getSnapshot();
    if (session.status === 'in') setEmail(session.user.email);
  }

  return (
    <>
      {email ? (
        <Form
          act={async ({ email_code = '' }) => {
            await latchkey.stepUp({ email_code });
            proven();
          }}
        >
          <p role="status">
            <Rich word={Word['mailedProof.sent']} given={{ email, strong }} />
          </p>
          <Field
            class="control code"
            label={say(Word['sent.code'])}
            name="email_code"
            dir="ltr"
            autocomplete="one-time-code"
            autocapitalize="characters"
            spellcheck={false}
            autofocus
            faults="InvalidCode"
            remedy={say(Word['loginCode.wrong'])}
          />
          <Submit>{say(Word['parts.proof.submit'], { purpose: 'confirm' })}</Submit>
        </Form>
      ) : (
        <p>{say(Word['mailedProof.what'])}</p>
      )}
      <Form act={send}>
        <Submit weight={email ? 'plain' : 'main'} autofocus={!email}>
          {say(Word['login.emailCode'])}
        </Submit>
      </Form>
    </>
  );
}
