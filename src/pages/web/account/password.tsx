import { Ask } from '../parts/dialog.js';
import { PasswordField, Username } from '../parts/field.js';
import { Section } from '../parts/frame.js';
import { say } from '../parts/notice.js';
import { Row, Rows } from '../parts/rows.js';
import { latchkey } from '../parts/service.js';
import type { User } from '../parts/session.js';

export function Password({ user: { email, has_password }, changed }: { user: User; changed: () => void }) {
  return (
    <Section title="Password">
      <Rows>
        <Row
          icon="lock"
          acts={
            <Ask
              button={has_password ? 'Change' : 'Set'}
              label={has_password ? 'Change your password' : 'Set a password'}
              title={has_password ? 'Change your password' : 'Set a password'}
              verb="Set password"
              act={async ({ current_password, new_password = '' }) => {
                await latchkey.updatePassword({
                  new_password,
                  ...(current_password && { current_password }),
                });
                changed();
                say('Your new password is set, and every other browser is logged out.');
              }}
            >
              <Username of={email} />
              {has_password && (
                <PasswordField
                  label="Current password"
                  name="current_password"
                  faults="IncorrectPassword"
                  autofocus
                />
              )}
              <PasswordField label="New password" name="new_password" isNew />
            </Ask>
          }
          note={has_password ? 'A change logs out every other browser.' : 'You log in without one.'}
        >
          {has_password ? 'You have a password' : 'You have no password'}
        </Row>
      </Rows>
    </Section>
  );
}
