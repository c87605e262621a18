import { useState } from 'preact/hooks';
import { isProblem } from '../../../client/problem.js';
import { ButtonLink, Submit } from '../parts/button.js';
import { facts } from '../parts/facts.js';
import { PasswordField } from '../parts/field.js';
import { Form, Refused } from '../parts/form.js';
import { Card } from '../parts/frame.js';
import { latchkey } from '../parts/service.js';
import { forgetToken, mailedToken } from '../parts/token.js';
import { DeadLink, isDeadLink } from './dead-link.js';
import { goOn } from './go-on.js';

const WRONG_PASSWORD =
  'This is not the password of the signup. After five wrong ones the link stops working.';

/**
 * Where the mail of a signup leads. It takes a click, for a mail scanner may open the link and run its scripts. In
 * another browser than the one that signed up, the service asks for the password, or a new one.
 */
export function VerifyEmail() {
  const [step, setStep] = useState<'confirm' | 'prove' | 'dead'>('confirm');

  async function complete(proof: { password?: string; new_password?: string }): Promise<void> {
    try {
      const login = await latchkey.verifyEmail({ token: mailedToken(), ...proof });
      forgetToken();
      await goOn(login, 'Your address is confirmed, and you are logged in.');
    } catch (error) {
      if (isDeadLink(error)) return setStep('dead');
      if (!isProblem(error, 'PasswordRequired')) throw error;
      if (step === 'prove') throw new Refused(WRONG_PASSWORD);
      setStep('prove');
    }
  }

  if (step === 'dead')
    return (
      <DeadLink>
        <p>
          Have you confirmed your address already? Then log in.{' '}
          {!facts.isB2b && 'If not, sign up again: a link works for one day.'}
        </p>
        <ButtonLink href="login">Log in</ButtonLink>
        {!facts.isB2b && (
          <ButtonLink href="signup" weight="plain">
            Sign up again
          </ButtonLink>
        )}
      </DeadLink>
    );
  if (step === 'prove')
    return (
      <Card title="Is it you?" isNew>
        <p>This is not the browser that signed up. Enter the password that you chose.</p>
        <Form act={({ password = '' }) => complete({ password })}>
          <PasswordField label="Password of the signup" name="password" autofocus />
          <Submit>Continue</Submit>
        </Form>
        <details>
          <summary>I do not know it</summary>
          <Form act={({ new_password = '' }) => complete({ new_password })}>
            <p class="quiet">Choose a new one. Nothing else of the signup is kept.</p>
            <PasswordField label="New password" name="new_password" isNew />
            <Submit weight="plain">Start with a new password</Submit>
          </Form>
        </details>
      </Card>
    );
  return (
    <Card title="Confirm your address">
      <p>One click, and you are logged in. If you did not sign up, close this page.</p>
      <Form act={() => complete({})}>
        <Submit autofocus>Confirm my address</Submit>
      </Form>
    </Card>
  );
}
