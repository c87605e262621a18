import { useState } from 'preact/hooks';
import { isProblem } from '../../../client/problem.js';
import { ButtonLink, Submit } from '../parts/button.js';
import { addressOf } from '../parts/facts.js';
import { Form } from '../parts/form.js';
import { Card, useLogin, WhenIn } from '../parts/frame.js';
import { go } from '../parts/notice.js';
import { Rich, say, strong, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';
import { logInAnew } from '../parts/session.js';
import { forgetToken, mailedToken } from '../parts/token.js';
import { DeadLink, isDeadLink } from './dead-link.js';

/** Where the mail to a new address leads. It asks for a login first where there is no session. */
export function ConfirmEmail() {
  const session = useLogin();
  const [outcome, setOutcome] = useState<'dead' | 'wrong account' | null>(null);
  const own = session.status === 'in' ? session.user.email : '';
  if (outcome === 'dead')
    return (
      <DeadLink>
        <p>{say(Word['confirm.dead'])}</p>
        <ButtonLink href={addressOf('ui/account')}>{say(Word['parts.yourAccount'])}</ButtonLink>
      </DeadLink>
    );
  if (outcome === 'wrong account')
    return (
      <Card title={say(Word['confirm.other.title'])} isNew>
        <p>
          <Rich word={Word['confirm.other.who']} given={{ email: own, strong }} />
        </p>
        <p>{say(Word['confirm.other.what'])}</p>
        <Form act={logInAnew}>
          <Submit>{say(Word['confirm.other.logIn'])}</Submit>
        </Form>
      </Card>
    );
  return (
    <Card title={say(Word['confirm.title'])}>
      <WhenIn session={session}>
        {({ email }) => (
          <>
            <p>
              <Rich word={Word['confirm.what']} given={{ email, strong }} />
            </p>
            <Form
              act={async () => {
                try {
                  await latchkey.confirmEmail({ token: mailedToken() });
                } catch (error) {
                  if (isDeadLink(error)) return setOutcome('dead');
                  if (isProblem(error, 'WrongAccount')) return setOutcome('wrong account');
                  throw error;
                }
                forgetToken();
                return go(addressOf('ui/account'), say(Word['confirm.done']));
              }}
            >
              <Submit autofocus>{say(Word['confirm.confirm'])}</Submit>
            </Form>
          </>
        )}
      </WhenIn>
    </Card>
  );
}
