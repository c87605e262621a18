import { ButtonLink, Submit } from '../parts/button.js';
import { addressOf } from '../parts/facts.js';
import { PasswordField, Username } from '../parts/field.js';
import { Form } from '../parts/form.js';
import { Card } from '../parts/frame.js';
import { GreyRows, Loaded } from '../parts/load.js';
import { fillNextLogin } from '../parts/next-login.js';
import { go } from '../parts/notice.js';
import { keepReturnTo } from '../parts/return-to.js';
import { Rich, say, strong, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';
import { forgetToken, mailedToken } from '../parts/token.js';
import { DeadLink, isDeadLink, useLink } from './dead-link.js';

export function ResetPassword() {
  const { link, isDead, die } = useLink(() => latchkey.previewReset({ token: mailedToken() }));
  if (isDead)
    return (
      <DeadLink>
        <p>{say(Word['reset.dead'])}</p>
        <ButtonLink href={addressOf(`ui/forgot-password${keepReturnTo()}`)}>
          {say(Word['reset.again'])}
        </ButtonLink>
      </DeadLink>
    );
  return (
    <Card title={say(Word['reset.title'])}>
      <Loaded from={link}>
        {(owner) =>
          owner ? (
            <NewPassword
              secret={{ token: mailedToken() }}
              of={owner.email}
              refused={(error) => {
                if (!isDeadLink(error)) throw error;
                die();
              }}
            />
          ) : (
            <GreyRows />
          )
        }
      </Loaded>
    </Card>
  );
}

/** Sets the password of an account with what was mailed, which the page has asked about before. */
export function NewPassword({
  secret,
  of: email,
  refused,
}: {
  secret: { token: string } | { code: string };
  of: string;
  refused?: (error: unknown) => void;
}) {
  return (
    <Form
      act={async ({ new_password = '' }) => {
        try {
          await latchkey.resetPassword({ ...secret, new_password });
        } catch (error) {
          if (!refused) throw error;
          return refused(error);
        }
        forgetToken();
        fillNextLogin(email);
        return go(addressOf(`ui/login${keepReturnTo()}`), say(Word['reset.done']));
      }}
    >
      <p>
        <Rich word={Word['reset.account']} given={{ email, strong }} />
      </p>
      <Username of={email} />
      <PasswordField label={say(Word['field.newPassword'])} name="new_password" isNew autofocus />
      <p class="quiet">{say(Word['reset.loggedOut'])}</p>
      <Submit>{say(Word['reset.set'])}</Submit>
    </Form>
  );
}
