import { DEVICE, deviceOf } from '../parts/device.js';
import { Ask } from '../parts/dialog.js';
import { Section } from '../parts/frame.js';
import { announce } from '../parts/notice.js';
import { Row, Rows } from '../parts/rows.js';
import { Rich, say, Word } from '../parts/say.js';
import { Time } from '../parts/time.js';
import type { Account } from './account.js';
import { latchkey } from './service.js';

type Session = Account['sessions'][number];

/** Where a user is logged in, and the ways to end that. */
export function UserSessions({ account, again }: { account: Account; again: () => Promise<void> }) {
  const { user, sessions } = account;
  const others = sessions.filter(({ current }) => !current);
  return (
    <Section
      name="sessions"
      title={say(Word['user.sessions'])}
      acts={
        others.length > 0 && (
          <Ask
            button={say(
              others.length < sessions.length
                ? Word['user.sessions.endOthers']
                : Word['user.sessions.endAll'],
            )}
            weight="plain"
            title={say(Word['user.sessions.endAllTitle'], { email: user.email })}
            verb={say(Word['user.sessions.endThem'])}
            isDangerous
            act={async () => {
              const { revoked } = await latchkey.endUserSessions({ id: user.id });
              await again();
              announce(say(Word['user.sessions.ended'], { email: user.email, count: revoked }));
            }}
          >
            <p>{say(Word['user.sessions.endAllWhat'], { count: others.length })}</p>
          </Ask>
        )
      }
    >
      {sessions.length === 0 ? (
        <p class="card empty">{say(Word['user.sessions.none'])}</p>
      ) : (
        <Rows>
          {sessions.map((session) => (
            <Row
              key={session.id}
              icon={DEVICE}
              note={<Since {...session} />}
              acts={
                !session.current && (
                  <Ask
                    button={say(Word['user.sessions.end'])}
                    label={say(Word['user.sessions.endNamed'], { device: nameOf(session) })}
                    weight="words danger"
                    title={say(Word['user.sessions.endTitle'])}
                    verb={say(Word['user.sessions.endIt'])}
                    isDangerous
                    act={async () => {
                      await latchkey.endUserSession({ id: user.id, session_id: session.id });
                      await again();
                      announce(say(Word['user.sessions.endedOne'], { device: nameOf(session) }));
                    }}
                  >
                    <p>{say(Word['user.sessions.endWhat'], { device: nameOf(session) })}</p>
                  </Ask>
                )
              }
            >
              <strong>{deviceOf(session.user_agent)}</strong>{' '}
              {session.current && <span class="badge good">{say(Word['sessions.current'])}</span>}
            </Row>
          ))}
        </Rows>
      )}
    </Section>
  );
}

/** How, from where and since when a user is logged in. */
function Since({ auth_method: method, ip, created_at, last_seen_at }: Session) {
  const times = { loggedIn: <Time at={created_at} />, seen: <Time at={last_seen_at} /> };
  if (method === 'acting') return <Rich word={Word['user.sessions.acting']} given={times} />;
  const given = { method, ...times };
  return ip === null ? (
    <Rich word={Word['user.sessions.fromUnknown']} given={given} />
  ) : (
    <Rich word={Word['user.sessions.from']} given={{ ...given, ip }} />
  );
}

function nameOf({ ip, user_agent }: Session): string {
  const device = deviceOf(user_agent);
  return ip === null ? device : say(Word['user.sessions.name'], { device, ip });
}
