import type { ComponentChildren } from 'preact';
import { Submit } from '../parts/button.js';
import { DEVICE, deviceOf } from '../parts/device.js';
import { Ask } from '../parts/dialog.js';
import { Form } from '../parts/form.js';
import { Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import { announce } from '../parts/notice.js';
import { Row, Rows } from '../parts/rows.js';
import { Rich, say, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';
import { Time } from '../parts/time.js';
import { PHONE } from './icons.js';

const ON_PHONE = /iPhone|Android/;

export function Sessions() {
  const sessions = useLoad(() => latchkey.listSessions({ limit: 100 }));
  const hasOthers = sessions.state === 'loaded' && sessions.data.data.length > 1;
  return (
    <Section
      name="where-you-are-logged-in"
      title={say(Word['sessions.title'])}
      acts={
        hasOthers && (
          <Ask
            button={say(Word['sessions.endOthers'])}
            weight="plain"
            title={say(Word['sessions.endOthersTitle'])}
            verb={say(Word['sessions.endThem'])}
            act={async () => {
              const { revoked } = await latchkey.endOtherSessions();
              await sessions.again();
              announce(say(Word['sessions.ended'], { count: revoked }));
            }}
          >
            <p>{say(Word['sessions.endOthersWhat'])}</p>
          </Ask>
        )
      }
    >
      <Loaded from={sessions}>
        {({ data }, again) => (
          <Rows>
            {data.map(({ id, current, ip, user_agent, created_at, last_seen_at, acting }) => (
              <Row
                key={id}
                icon={ON_PHONE.test(user_agent ?? '') ? PHONE : DEVICE}
                note={
                  acting ? (
                    <Rich
                      word={Word['sessions.acting']}
                      given={{ loggedIn: <Time at={created_at} />, seen: <Time at={last_seen_at} /> }}
                    />
                  ) : (
                    <Since
                      ip={ip}
                      loggedIn={<Time at={created_at} />}
                      seen={!current && <Time at={last_seen_at} />}
                    />
                  )
                }
                acts={
                  !current && (
                    <Form
                      act={async () => {
                        await latchkey.endSession({ id });
                        await again();
                        announce(say(Word['sessions.endedOne']));
                      }}
                    >
                      <Submit
                        weight="words danger"
                        aria-label={say(Word['sessions.endNamed'], { device: deviceOf(user_agent) })}
                      >
                        {say(Word['sessions.end'])}
                      </Submit>
                    </Form>
                  )
                }
              >
                <strong>{deviceOf(user_agent)}</strong>{' '}
                {current && <span class="badge good">{say(Word['sessions.current'])}</span>}
              </Row>
            ))}
          </Rows>
        )}
      </Loaded>
    </Section>
  );
}

/** Where a session is from, and since when. The session of this browser is seen now. */
function Since({
  ip,
  loggedIn,
  seen,
}: {
  ip: string | null;
  loggedIn: ComponentChildren;
  seen: ComponentChildren;
}) {
  if (ip && seen) return <Rich word={Word['sessions.other']} given={{ ip, loggedIn, seen }} />;
  if (seen) return <Rich word={Word['sessions.otherUnknown']} given={{ loggedIn, seen }} />;
  if (ip) return <Rich word={Word['sessions.this']} given={{ ip, loggedIn }} />;
  return <Rich word={Word['sessions.thisUnknown']} given={{ loggedIn }} />;
}
