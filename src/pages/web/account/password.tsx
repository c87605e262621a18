import { Ask } from '../parts/dialog.js';
import { PasswordField, Username } from '../parts/field.js';
import { Section } from '../parts/frame.js';
import { LOCK } from '../parts/icons.js';
import { announce } from '../parts/notice.js';
import { Row, Rows } from '../parts/rows.js';
import { say, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';
import type { User } from '../parts/session.js';

export function Password({ user: { email, has_password }, changed }: { user: User; changed: () => void }) {
  return (
    <Section name="password" title={say(Word['password.title'])}>
      <Rows>
        <Row
          icon={LOCK}
          acts={
            <Ask
              button={say(has_password ? Word['account.change'] : Word['password.set'])}
              label={say(has_password ? Word['password.changeNamed'] : Word['password.setNamed'])}
              title={say(has_password ? Word['password.changeNamed'] : Word['password.setNamed'])}
              verb={say(Word['reset.set'])}
              act={async ({ current_password, new_password = '' }) => {
                await latchkey.updatePassword({
                  new_password,
                  ...(current_password && { current_password }),
                });
                changed();
                announce(say(Word['password.done']));
              }}
            >
              <Username of={email} />
              {has_password && (
                <PasswordField
                  label={say(Word['password.current'])}
                  name="current_password"
                  faults="IncorrectPassword"
                  autofocus
                />
              )}
              <PasswordField label={say(Word['field.newPassword'])} name="new_password" isNew />
            </Ask>
          }
          note={say(has_password ? Word['password.changing'] : Word['password.without'])}
        >
          {say(has_password ? Word['password.have'] : Word['password.haveNone'])}
        </Row>
      </Rows>
    </Section>
  );
}
