import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { isProblem } from '../../../client/problem.js';
import { Submit } from '../parts/button.js';
import { addressOf, facts } from '../parts/facts.js';
import { Form, Refused } from '../parts/form.js';
import { Card } from '../parts/frame.js';
import { announce } from '../parts/notice.js';
import { linkTo, Rich, say, strong, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';
import { goOn } from './go-on.js';
import { type CodeWords, MailedCode } from './mailed-code.js';

/** Within this time the service sends no second mail, because the first is on its way. */
const PAUSE_MS = 60_000;

/** Tells the user to go on in their mail, or with its code here, and lets them ask for it once more after a minute. */
export function MailSent({
  children,
  enter,
  again,
  after,
  words,
}: {
  children: ComponentChildren;
  enter: (code: string) => unknown;
  again: () => Promise<unknown>;
  after?: ComponentChildren;
  /** In place of those of a mail whose link does the same as the code in any browser. */
  words?: CodeWords & { again: string };
}) {
  const [asked, setAsked] = useState(0);
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [asked]);

  return (
    <Card title={say(Word['sent.title'])} isNew>
      {children}
      {facts.hasDevMailbox && (
        <p>
          <Rich word={Word['sent.development']} given={{ link: linkTo(addressOf('dev/mail')) }} />
        </p>
      )}
      <MailedCode act={enter} {...words} />
      {isLate ? (
        <Form
          act={async () => {
            await again();
            setLate(false);
            setAsked(asked + 1);
          }}
        >
          <p class="quiet">{say(Word['sent.late'])}</p>
          <Submit weight="plain">{words?.again ?? say(Word['sent.again'])}</Submit>
        </Form>
      ) : (
        <p class="quiet">{say(Word['sent.wait'])}</p>
      )}
      {after}
    </Card>
  );
}

/** The mail of a signup. */
export function SignupSent({ email, after }: { email: string; after?: ComponentChildren }) {
  return (
    <MailSent enter={confirm} again={() => resend(email)} after={after}>
      <p>
        <Rich word={Word['signup.sent']} given={{ email, strong }} />
      </p>
    </MailSent>
  );
}

/** Goes on as the page does that the link leads to. */
async function confirm(code: string): Promise<void> {
  try {
    await goOn(await latchkey.verifyEmail({ code }), say(Word['verify.done']));
  } catch (error) {
    if (!isProblem(error, 'PasswordRequired')) throw error;
    throw new Refused(say(Word['signup.otherBrowser']));
  }
}

/** Asks for the mail of a signup once more. */
async function resend(email: string): Promise<void> {
  await latchkey.resendVerification({ email });
  announce(say(Word['sent.resent'], { email }));
}
