import { useState } from 'preact/hooks';
import { ButtonLink, Submit } from '../parts/button.js';
import { Form } from '../parts/form.js';
import { Card } from '../parts/frame.js';
import { latchkey } from '../parts/service.js';
import { forgetToken, mailedToken } from '../parts/token.js';
import { DeadLink, isDeadLink } from './dead-link.js';

/** Where “this was not me” leads in a mail about a change. It takes a click, as a mail scanner may open the link. */
export function SecureAccount() {
  const [outcome, setOutcome] = useState<'dead' | 'secured' | null>(null);
  if (outcome === 'dead')
    return (
      <DeadLink>
        <p>If you still worry about your account, set a new password: that logs out every browser.</p>
        <ButtonLink href="forgot-password">Set a new password</ButtonLink>
      </DeadLink>
    );
  if (outcome === 'secured')
    return (
      <Card title="Your address is safe" isNew>
        <p>If it has an account with a password, a link to set a new one is on its way to you.</p>
        <ButtonLink href="login" weight="plain">
          Log in
        </ButtonLink>
      </Card>
    );
  return (
    <Card title="This was not you?">
      <p>
        If you have an account, we log out every browser, stop the password and send you a link to set a new
        one. We also bring back an address that was changed in the last three days.
      </p>
      <p>If another person signed up with your address, we end that signup.</p>
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
        <Submit>Secure my account</Submit>
      </Form>
    </Card>
  );
}
