import { useEffect } from 'preact/hooks';
import { Submit } from '../parts/button.js';
import { Ask } from '../parts/dialog.js';
import { addressOf, base } from '../parts/facts.js';
import { Form } from '../parts/form.js';
import { Card, Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import { Alert, announce, go } from '../parts/notice.js';
import { forgetWayBack, wayBack } from '../parts/return-to.js';
import { Row, Rows } from '../parts/rows.js';
import { listed, Rich, say, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';
import type { OrganizationOfUser, User } from '../parts/session.js';
import { Time } from '../parts/time.js';
import { AuthenticatorApp } from './authenticator-app.js';
import { CODE, PHONE } from './icons.js';
import { forgetSecret, keepSecret, keptSecret, type Secret } from './kept-secret.js';
import { areUnkept, RecoveryCodes } from './recovery-codes.js';

/** Where an organization that asks for a second factor leads. */
const ANCHOR = 'second-step-at-login';

/** What takes the whole page for a while: adding an app, and keeping codes. */
export type Flow =
  | ({ step: 'add'; email: string } & Secret)
  | { step: 'keep'; email: string; codes: string[]; message: string; isFirst?: boolean };

/** What the second step of the user's logins is. */
export function SecondFactors({
  user: { id, email },
  organizations,
  setFlow,
  changed,
}: {
  user: User;
  organizations: OrganizationOfUser[];
  setFlow: (flow: Flow) => void;
  changed: () => void;
}) {
  const factors = useLoad(() => latchkey.getFactors());
  useEffect(() => {
    // A browser looks for the anchor of an address before the page is there.
    if (location.hash === `#${ANCHOR}`) document.getElementById(ANCHOR)?.scrollIntoView();
    const kept = keptSecret(id);
    if (kept) setFlow({ step: 'add', email, ...kept });
  }, []);
  const asking = organizations.filter(
    ({ suspended, unmet }) => !suspended && unmet.includes('second_factor'),
  );
  return (
    <Section name={ANCHOR} title={say(Word['factors.title'])}>
      <Loaded from={factors} rows={2}>
        {({ factors: { totp, passkeys, recovery_codes_left, recovery_codes_kept_at, second_step } }) => (
          <>
            {asking.length > 0 && (
              <Alert isWarning>
                <Rich word={Word['factors.asked']} given={{ org: listed(asking.map(({ name }) => name)) }} />
              </Alert>
            )}
            <p class="quiet">{say(Word['factors.state'], { state: second_step })}</p>
            {second_step !== 'off' && areUnkept({ recovery_codes_left, recovery_codes_kept_at }) && (
              <Alert isWarning>{say(Word['factors.unkept'])}</Alert>
            )}
            <Rows>
              <Row
                icon={PHONE}
                note={
                  totp ? (
                    <Rich
                      word={Word['factors.app.added']}
                      given={{ day: <Time at={totp.created_at} as="day" /> }}
                    />
                  ) : (
                    say(Word['factors.app.none'])
                  )
                }
                acts={
                  totp ? (
                    <Ask
                      button={say(Word['factors.app.remove'])}
                      label={say(Word['factors.app.removeNamed'])}
                      weight="words danger"
                      title={say(Word['factors.app.removeTitle'])}
                      verb={say(Word['factors.app.removeIt'])}
                      isDangerous
                      act={async () => {
                        await latchkey.removeTotp();
                        changed();
                        announce(say(Word['app.removed']));
                      }}
                    >
                      <p>{say(Word['factors.app.removeWhat'])}</p>
                      {second_step === 'required' && <p class="quiet">{say(Word['factors.app.required'])}</p>}
                    </Ask>
                  ) : (
                    <Form
                      act={async () => {
                        const begun = await latchkey.beginTotp();
                        keepSecret(id, begun);
                        setFlow({ step: 'add', email, ...begun });
                      }}
                    >
                      <Submit weight="words" aria-label={say(Word['factors.app.addNamed'])}>
                        {say(Word['factors.app.add'])}
                      </Submit>
                    </Form>
                  )
                }
              >
                <strong>{say(Word['factors.app'])}</strong>
              </Row>
              {second_step !== 'off' && (
                <Row
                  icon={CODE}
                  note={say(Word['factors.codes.left'], { count: recovery_codes_left })}
                  acts={
                    (totp || passkeys > 0) && (
                      <Ask
                        button={say(Word['factors.codes.make'])}
                        label={say(Word['factors.codes.makeNamed'])}
                        title={say(Word['factors.codes.makeTitle'])}
                        verb={say(Word['factors.codes.makeThem'])}
                        act={async () => {
                          const { recovery_codes } = await latchkey.renewRecoveryCodes();
                          setFlow({
                            step: 'keep',
                            email,
                            codes: recovery_codes,
                            message: say(Word['factors.codes.made']),
                          });
                        }}
                      >
                        <p>{say(Word['factors.codes.makeWhat'])}</p>
                      </Ask>
                    )
                  }
                >
                  <strong>{say(Word['factors.codes'])}</strong>
                </Row>
              )}
            </Rows>
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** The page of the service that sent its user here to set up a factor; else the page of all of them. */
function whereFrom(): string {
  const address = wayBack();
  forgetWayBack();
  return address?.startsWith(base.href) ? address : addressOf('ui/security');
}

/** A step of a flow, on a card of its own. */
export function FlowPage({ flow, setFlow }: { flow: Flow; setFlow: (flow: Flow | null) => void }) {
  if (flow.step === 'keep')
    return (
      <Card title={say(Word['codes.title'])} isNew>
        <RecoveryCodes
          email={flow.email}
          codes={flow.codes}
          goOn={() => go(flow.isFirst ? whereFrom() : addressOf('ui/security'), flow.message)}
        />
      </Card>
    );
  const { email, secret, uri } = flow;
  return (
    <Card title={say(Word['app.title'])} isNew>
      <AuthenticatorApp
        secret={secret}
        uri={uri}
        confirm={async (code) => {
          const { recovery_codes } = await latchkey.confirmTotp({ code });
          forgetSecret();
          setFlow({
            step: 'keep',
            email,
            codes: recovery_codes,
            message: say(Word['factors.app.done']),
            isFirst: true,
          });
        }}
      />
      <p>
        {/* A browser may keep the state of the entry where a link leads to the same address. */}
        <a href={addressOf('ui/security')} onClick={forgetSecret}>
          {say(Word['parts.cancel'])}
        </a>
      </p>
    </Card>
  );
}
