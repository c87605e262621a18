import { useState } from 'preact/hooks';
import { isProblem } from '../../../client/problem.js';
import { ButtonLink, Submit } from '../parts/button.js';
import { addressOf, facts } from '../parts/facts.js';
import { PasswordField } from '../parts/field.js';
import { Form, Refused } from '../parts/form.js';
import { Card } from '../parts/frame.js';
import { say, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';
import { forgetToken, mailedToken } from '../parts/token.js';
import { DeadLink, isDeadLink } from './dead-link.js';
import { goOn } from './go-on.js';

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
      await goOn(login, say(Word['verify.done']));
    } catch (error) {
      if (isDeadLink(error)) return setStep('dead');
      if (!isProblem(error, 'PasswordRequired')) throw error;
      if (step === 'prove') throw new Refused(say(Word['verify.wrongPassword']));
      setStep('prove');
    }
  }

  if (step === 'dead')
    return (
      <DeadLink>
        <p>{say(facts.isB2b ? Word['verify.dead'] : Word['verify.deadSignup'])}</p>
        <ButtonLink href={addressOf('ui/login')}>{say(Word['login.title'])}</ButtonLink>
        {!facts.isB2b && (
          <ButtonLink href={addressOf('ui/signup')} weight="plain">
            {say(Word['verify.signupAgain'])}
          </ButtonLink>
        )}
      </DeadLink>
    );
  if (step === 'prove')
    return (
      <Card title={say(Word['verify.prove.title'])} isNew>
        <p>{say(Word['verify.prove.what'])}</p>
        <Form act={({ password = '' }) => complete({ password })}>
          <PasswordField label={say(Word['verify.prove.password'])} name="password" autofocus />
          <Submit>{say(Word['parts.continue'])}</Submit>
        </Form>
        <details>
          <summary>{say(Word['verify.prove.unknown'])}</summary>
          <Form act={({ new_password = '' }) => complete({ new_password })}>
            <p class="quiet">{say(Word['verify.prove.choose'])}</p>
            <PasswordField label={say(Word['field.newPassword'])} name="new_password" isNew />
            <Submit weight="plain">{say(Word['verify.prove.start'])}</Submit>
          </Form>
        </details>
      </Card>
    );
  return (
    <Card title={say(Word['verify.title'])}>
      <p>{say(Word['verify.what'])}</p>
      <Form act={() => complete({})}>
        <Submit autofocus>{say(Word['verify.confirm'])}</Submit>
      </Form>
    </Card>
  );
}
