import { counted } from '../parts/counted.js';
import { Ask } from '../parts/dialog.js';
import { Section } from '../parts/frame.js';
import { announce } from '../parts/notice.js';
import { Row, Rows } from '../parts/rows.js';
import { Time } from '../parts/time.js';
import { deviceOf } from '../parts/words.js';
import type { Account } from './account.js';
import { latchkey } from './service.js';

const WAYS = { password: 'by password', idp: 'at a provider', passkey: 'by passkey' };

/** Where a user is logged in, and the ways to end that. */
export function UserSessions({ account, again }: { account: Account; again: () => Promise<void> }) {
  const { user, sessions } = account;
  const others = sessions.filter(({ current }) => !current);
  return (
    <Section
      name="sessions"
      title="Sessions"
      acts={
        others.length > 0 && (
          <Ask
            button={others.length < sessions.length ? 'End all others' : 'End all'}
            label={others.length < sessions.length ? 'End all others' : 'End all sessions'}
            weight="plain"
            title={`End the sessions of ${user.email}?`}
            verb="End them"
            isDangerous
            act={async () => {
              const { revoked } = await latchkey.endUserSessions({ id: user.id });
              await again();
              announce(`Sessions of ${user.email} that have ended: ${revoked}.`);
            }}
          >
            <p>
              {counted(others.length, 'session')} {others.length === 1 ? 'ends' : 'end'} at once: there the
              user has to log in again.
            </p>
          </Ask>
        )
      }
    >
      {sessions.length === 0 ? (
        <p class="card empty">The user is not logged in anywhere.</p>
      ) : (
        <Rows>
          {sessions.map(({ id, current, ip, user_agent, auth_method, created_at, last_seen_at }) => (
            <Row
              key={id}
              icon="device"
              note={
                <>
                  Logged in {WAYS[auth_method]} <Time at={created_at} />
                  {ip && ` from ${ip}`}, last seen <Time at={last_seen_at} />
                </>
              }
              acts={
                !current && (
                  <Ask
                    button="End"
                    label={`End the session of ${placeOf({ ip, user_agent })}`}
                    weight="words danger"
                    title="End this session?"
                    verb="End it"
                    isDangerous
                    act={async () => {
                      await latchkey.endUserSession({ id: user.id, session_id: id });
                      await again();
                      announce(`The session of ${placeOf({ ip, user_agent })} has ended.`);
                    }}
                  >
                    <p>{placeOf({ ip, user_agent })} has to log in again.</p>
                  </Ask>
                )
              }
            >
              <strong>{deviceOf(user_agent)}</strong> {current && <span class="badge good">This one</span>}
            </Row>
          ))}
        </Rows>
      )}
    </Section>
  );
}

function placeOf({ ip, user_agent }: { ip: string | null; user_agent: string | null }): string {
  return ip === null ? deviceOf(user_agent) : `${deviceOf(user_agent)} at ${ip}`;
}
