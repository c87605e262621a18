import { Submit } from '../parts/button.js';
import { Ask } from '../parts/dialog.js';
import { Form } from '../parts/form.js';
import { Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import { say } from '../parts/notice.js';
import { Row, Rows } from '../parts/rows.js';
import { latchkey } from '../parts/service.js';
import { Time } from '../parts/time.js';
import { deviceOf } from '../parts/words.js';

const PHONE = /iPhone|Android/;

export function Sessions() {
  const sessions = useLoad(() => latchkey.listSessions({ limit: 100 }));
  const hasOthers = sessions.state === 'loaded' && sessions.data.data.length > 1;
  return (
    <Section
      title="Where you are logged in"
      acts={
        hasOthers && (
          <Ask
            button="Log out everywhere else"
            weight="plain"
            title="Log out everywhere else?"
            verb="Log them out"
            act={async () => {
              const { revoked } = await latchkey.endOtherSessions();
              await sessions.again();
              say(`Sessions that have ended: ${revoked}.`);
            }}
          >
            <p>Every other browser and device has to log in again.</p>
          </Ask>
        )
      }
    >
      <Loaded from={sessions}>
        {({ data }, again) => (
          <Rows>
            {data.map(({ id, current, ip, user_agent, created_at, last_seen_at }) => (
              <Row
                key={id}
                icon={PHONE.test(user_agent ?? '') ? 'phone' : 'device'}
                note={
                  <>
                    {ip && `From ${ip}, `}logged in <Time at={created_at} />
                    {!current && (
                      <>
                        , last seen <Time at={last_seen_at} />
                      </>
                    )}
                  </>
                }
                acts={
                  !current && (
                    <Form
                      act={async () => {
                        await latchkey.endSession({ id });
                        await again();
                        say('That session has ended.');
                      }}
                    >
                      <Submit weight="words danger" aria-label={`Log out ${deviceOf(user_agent)}`}>
                        Log out
                      </Submit>
                    </Form>
                  )
                }
              >
                <strong>{deviceOf(user_agent)}</strong> {current && <span class="badge good">This one</span>}
              </Row>
            ))}
          </Rows>
        )}
      </Loaded>
    </Section>
  );
}
