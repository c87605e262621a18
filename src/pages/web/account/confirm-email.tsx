import { useState } from 'preact/hooks';
import { isProblem } from '../../../client/problem.js';
import { ButtonLink, Submit } from '../parts/button.js';
import { addressOf } from '../parts/facts.js';
import { Form } from '../parts/form.js';
import { Card, useLogin, WhenIn } from '../parts/frame.js';
import { go } from '../parts/notice.js';
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
        <p>If your account still has the old address, ask for the change there again.</p>
        <ButtonLink href="account">Your account</ButtonLink>
      </DeadLink>
    );
  if (outcome === 'wrong account')
    return (
      <Card title="Another account" isNew>
        <p>
          You are logged in as <strong>{own}</strong>, but this link is for another account. Nothing was
          changed.
        </p>
        <p>
          If the other account is yours, log in to it. If it is not, another person has asked for your
          address: close this page, and their account does not get it.
        </p>
        <Form act={logInAnew}>
          <Submit>Log in to the other account</Submit>
        </Form>
      </Card>
    );
  return (
    <Card title="Confirm your new address">
      <WhenIn session={session}>
        {({ email }) => (
          <>
            <p>
              Your account <strong>{email}</strong> gets the address that the mail went to.
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
                return go(addressOf('ui/account'), 'Your account has the new address.');
              }}
            >
              <Submit autofocus>Move my account</Submit>
            </Form>
          </>
        )}
      </WhenIn>
    </Card>
  );
}
