import { useEffect } from 'preact/hooks';
import { Submit } from '../parts/button.js';
import { Ask } from '../parts/dialog.js';
import { addressOf } from '../parts/facts.js';
import { Form } from '../parts/form.js';
import { Card, Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import { Alert, go, say } from '../parts/notice.js';
import { Row, Rows } from '../parts/rows.js';
import { latchkey } from '../parts/service.js';
import type { User } from '../parts/session.js';
import { Time } from '../parts/time.js';
import { AuthenticatorApp } from './authenticator-app.js';
import { forgetSecret, keepSecret, keptSecret, type Secret } from './kept-secret.js';
import { areUnkept, RecoveryCodes } from './recovery-codes.js';

/** What takes the whole page for a while: adding an app, and keeping codes. */
export type Flow =
  | ({ step: 'add'; email: string } & Secret)
  | { step: 'keep'; email: string; codes: string[]; message: string };

const STATES = {
  off: 'Off. With an authenticator app, a login also asks for a code that the app shows: a stolen password is then not enough to log in as you.',
  on: 'On. A login also asks for a code of your app, or for a passkey if you have one.',
  required: 'On, and it has to stay on: your organization or your role requires it.',
};

const ADDED = 'Your authenticator app is added, and every other browser is logged out.';
const UNKEPT =
  'You never confirmed that you keep your recovery codes, and we cannot show them again. If you do not have them, make new ones.';
const RENEWED = 'You have ten new recovery codes. The old ones no longer work.';

/** What the second step of the user's logins is. */
export function SecondFactors({
  user: { id, email },
  setFlow,
  changed,
}: {
  user: User;
  setFlow: (flow: Flow) => void;
  changed: () => void;
}) {
  const factors = useLoad(() => latchkey.getFactors());
  useEffect(() => {
    const kept = keptSecret(id);
    if (kept) setFlow({ step: 'add', email, ...kept });
  }, []);
  return (
    <Section title="Second step at login">
      <Loaded from={factors} rows={2}>
        {({ factors: { totp, passkeys, recovery_codes_left, recovery_codes_kept_at, second_step } }) => (
          <>
            <p class="quiet">{STATES[second_step]}</p>
            {second_step !== 'off' && areUnkept({ recovery_codes_left, recovery_codes_kept_at }) && (
              <Alert isWarning>{UNKEPT}</Alert>
            )}
            <Rows>
              <Row
                icon="phone"
                note={
                  totp ? (
                    <>
                      Added <Time at={totp.created_at} as="day" />
                    </>
                  ) : (
                    'None'
                  )
                }
                acts={
                  totp ? (
                    <Ask
                      button="Remove"
                      label="Remove the authenticator app"
                      weight="words danger"
                      title="Remove the authenticator app?"
                      verb="Remove it"
                      isDangerous
                      act={async () => {
                        await latchkey.removeTotp();
                        changed();
                        say('The authenticator app is removed. You can no longer log in with its codes.');
                      }}
                    >
                      <p>
                        Do this before you change to another app or phone, or to log in without a second step.
                      </p>
                      {second_step === 'required' && (
                        <p class="quiet">
                          You must have a second factor. To change to another app, first add a passkey; then
                          remove the app, and add it anew.
                        </p>
                      )}
                    </Ask>
                  ) : (
                    <Form
                      act={async () => {
                        const begun = await latchkey.beginTotp();
                        keepSecret(id, begun);
                        setFlow({ step: 'add', email, ...begun });
                      }}
                    >
                      <Submit weight="words" aria-label="Add an authenticator app">
                        Add
                      </Submit>
                    </Form>
                  )
                }
              >
                <strong>Authenticator app</strong>
              </Row>
              {second_step !== 'off' && (
                <Row
                  icon="code"
                  note={recovery_codes_left ? `${recovery_codes_left} left` : 'None left'}
                  acts={
                    (totp || passkeys > 0) && (
                      <Ask
                        button="Make new"
                        label="Make new recovery codes"
                        title="Make new recovery codes?"
                        verb="Make them"
                        act={async () => {
                          const { recovery_codes } = await latchkey.renewRecoveryCodes();
                          setFlow({ step: 'keep', email, codes: recovery_codes, message: RENEWED });
                        }}
                      >
                        <p>You get ten. Those that you have now stop working.</p>
                      </Ask>
                    )
                  }
                >
                  <strong>Recovery codes</strong>
                </Row>
              )}
            </Rows>
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** A step of a flow, on a card of its own. */
export function FlowPage({ flow, setFlow }: { flow: Flow; setFlow: (flow: Flow | null) => void }) {
  if (flow.step === 'keep')
    return (
      <Card title="Keep your recovery codes" isNew>
        <RecoveryCodes
          email={flow.email}
          codes={flow.codes}
          goOn={() => go(addressOf('ui/security'), flow.message)}
        />
      </Card>
    );
  const { email, secret, uri } = flow;
  return (
    <Card title="Add your account to the app" isNew>
      <AuthenticatorApp
        secret={secret}
        uri={uri}
        confirm={async (code) => {
          const { recovery_codes } = await latchkey.confirmTotp({ code });
          forgetSecret();
          setFlow({ step: 'keep', email, codes: recovery_codes, message: ADDED });
        }}
      />
      <p>
        {/* A browser may keep the state of the entry where a link leads to the same address. */}
        <a href="security" onClick={forgetSecret}>
          Cancel
        </a>
      </p>
    </Card>
  );
}
