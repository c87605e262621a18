import { useState } from 'preact/hooks';
import { ButtonLink, Submit } from '../parts/button.js';
import { addressOf } from '../parts/facts.js';
import { Form } from '../parts/form.js';
import { Card } from '../parts/frame.js';
import { say, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';
import { forgetToken, mailedToken } from '../parts/token.js';
import { DeadLink, isDeadLink } from './dead-link.js';

/** Where “this was not me” leads in a mail about a change. It takes a click, as a mail scanner may open the link. */
export function SecureAccount() {
  const [outcome, setOutcome] = useState<'dead' | 'secured' | null>(null);
  if (outcome === 'dead')
    return (
      <DeadLink>
        <p>{say(Word['secure.dead'])}</p>
        <ButtonLink href={addressOf('ui/forgot-password')}>{say(Word['secure.newPassword'])}</ButtonLink>
      </DeadLink>
    );
  if (outcome === 'secured')
    return (
      <Card title={say(Word['secure.done.title'])} isNew>
        <p>{say(Word['secure.done.what'])}</p>
        <ButtonLink href={addressOf('ui/login')} weight="plain">
          {say(Word['login.title'])}
        </ButtonLink>
      </Card>
    );
  return (
    <Card title={say(Word['secure.title'])}>
      <p>{say(Word['secure.account'])}</p>
      <p>{say(Word['secure.signup'])}</p>
      <Form
        act={async () => {
          try {
            await latchkey.secureAccount({ token: mailedToken() });
          } catch (error) {
            if (isDeadLink(error)) return setOutcome('dead');
            throw error;
          }
          forgetToken();
          setOutcome('secured');
        }}
      >
        <Submit>{say(Word['secure.secure'])}</Submit>
      </Form>
    </Card>
  );
}
