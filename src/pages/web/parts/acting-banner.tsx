import { Submit } from './button.js';
import { addressOf } from './facts.js';
import { Form } from './form.js';
import { Icon, PERSON } from './icons.js';
import { go } from './notice.js';
import { loadLateWords, Rich, say, strong, Word } from './say.js';
import { latchkey } from './service.js';
import type { Snapshot } from './session.js';
import { Time } from './time.js';

// Before any of it is shown.
await loadLateWords();

/** For whom an admin acts, whether they may only look, until when, and the way to stop. */
export function ActingBanner({
  user,
  session: { acting, expires_at },
  organizations,
}: Extract<Snapshot, { status: 'in' }>) {
  const org = organizations.find(({ id }) => id === acting?.org_id);
  const email = user.email;
  return (
    <aside class="alert warn acting" aria-label={say(Word['acting.title'])}>
      <Icon lines={PERSON} />
      <div class="stack">
        <p>
          {org ? (
            <Rich word={Word['acting.forIn']} given={{ email, org: org.name, strong }} />
          ) : (
            <Rich word={Word['acting.for']} given={{ email, strong }} />
          )}{' '}
          {say(acting?.write ? Word['acting.write'] : Word['acting.look'])}{' '}
          <Rich word={Word['acting.until']} given={{ deadline: <Time at={expires_at} as="clock" /> }} />
        </p>
        <div class="buttons">
          <Form
            act={async () => {
              await latchkey.call('POST /auth/stop-acting');
              await go(addressOf(`admin/user?id=${user.id}`), say(Word['acting.stopped'], { email }));
            }}
          >
            <Submit weight="plain" aria-label={say(Word['acting.stop.named'])}>
              {say(Word['acting.stop'])}
            </Submit>
          </Form>
        </div>
      </div>
    </aside>
  );
}
