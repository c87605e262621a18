import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { isProblem } from '../../../client/problem.js';
import { Submit } from '../parts/button.js';
import { addressOf } from '../parts/facts.js';
import { Field } from '../parts/field.js';
import { Form, Refused, type Sent } from '../parts/form.js';
import { Card } from '../parts/frame.js';
import { announce } from '../parts/notice.js';
import { keepReturnTo } from '../parts/return-to.js';
import { Rich, say, strong, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';
import { forgetToken, mailedToken } from '../parts/token.js';
import { goOn } from './go-on.js';
import { MailSent } from './mail-sent.js';

/**
 * Logs in with a mailed code: asks for the mail, and takes its code. Where the link of that mail leads, it takes a click, for
 * a mail scanner may open the link and run its scripts.
 */
export function LoginCode() {
  const [code] = useState(mailedToken);
  const [email, setEmail] = useState('');
  if (email) return <CodeSent email={email} />;
  if (code)
    return (
      <OneStep what={say(Word['loginCode.confirm'])} act={() => confirm(code)}>
        <Submit autofocus>{say(Word['login.title'])}</Submit>
      </OneStep>
    );
  return (
    <OneStep
      what={say(Word['loginCode.what'])}
      act={async ({ email: address = '' }) => {
        await latchkey.beginEmailCodeLogin({ email: address });
        setEmail(address);
      }}
    >
      <Field label={say(Word['field.email'])} name="email" type="email" autocomplete="username" autofocus />
      <Submit>{say(Word['login.emailCode'])}</Submit>
    </OneStep>
  );
}

function OneStep({
  what,
  act,
  children,
}: {
  what: string;
  act: (sent: Sent) => unknown;
  children: ComponentChildren;
}) {
  return (
    <Card title={say(Word['login.title'])}>
      <p class="quiet">{what}</p>
      <Form act={act}>{children}</Form>
      <p>
        <a href={addressOf(`ui/login${keepReturnTo()}`)}>{say(Word['forgot.back'])}</a>
      </p>
    </Card>
  );
}

function CodeSent({ email }: { email: string }) {
  return (
    <MailSent
      enter={logIn}
      again={async () => {
        await latchkey.beginEmailCodeLogin({ email });
        announce(say(Word['forgot.resent'], { email }));
      }}
      words={{ hint: '', remedy: say(Word['loginCode.wrong']), again: say(Word['login.emailCode']) }}
    >
      <p>
        <Rich word={Word['loginCode.sent']} given={{ email, strong }} />
      </p>
    </MailSent>
  );
}

/** Another browser than the one that asked says what to do with the code. */
async function confirm(code: string): Promise<void> {
  try {
    await logIn(code);
  } catch (error) {
    // The latter where a part of the link is missing.
    if (!isProblem(error, 'InvalidCode', 'ValidationFailed')) throw error;
    forgetToken();
    throw new Refused(say(Word['loginCode.elsewhere'], { code }));
  }
}

async function logIn(code: string): Promise<void> {
  const login = await latchkey.emailCodeLogin({ code });
  forgetToken();
  await goOn(login);
}
