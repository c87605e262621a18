import { WithAddress } from '../parts/address.js';
import { Submit } from '../parts/button.js';
import { counted, figure } from '../parts/counted.js';
import { Ask } from '../parts/dialog.js';
import { addressOf } from '../parts/facts.js';
import { Form } from '../parts/form.js';
import { Loaded, useLoad } from '../parts/load.js';
import { Alert, announce } from '../parts/notice.js';
import { Time } from '../parts/time.js';
import { asked, askedPage } from './address-query.js';
import { ChoiceFilter, Filters, TextFilter } from './filters.js';
import { Screen } from './frame.js';
import { List } from './list.js';
import { MOST_MAILS, type Outbox, readOutboxAgain, useOutbox } from './outbox-now.js';
import type { Selectable } from './selection.js';
import { latchkey } from './service.js';

const STATES = { waiting: 'Waiting', sent: 'Sent', expired: 'Expired', dead: 'Failed' };
const LOOKS = { waiting: 'warn', sent: 'good', expired: '', dead: 'danger' };

type State = keyof typeof STATES;
const STATE_NAMES = Object.keys(STATES) as State[];
type Mail = Awaited<ReturnType<typeof latchkey.listMails>>['data'][number];

/** The content of a mail is not shown: its links open accounts. */
export function Mails() {
  const outbox = useOutbox();
  const mails = useLoad(() =>
    latchkey.listMails({ ...askedPage(), state: asked<State>('state'), search: asked('search') }),
  );
  const dead = outbox.state === 'loaded' ? outbox.data.states.dead : 0;
  const again = async () => {
    await Promise.all([readOutboxAgain(), mails.again()]);
  };
  return (
    <Screen title="Mail" audience="sys_admin" act={dead > 0 && <RetryAll dead={dead} again={again} />}>
      {() => (
        <>
          <Loaded from={outbox} rows={2}>
            {(known) => <States {...known} />}
          </Loaded>
          <Filters>
            <TextFilter label="To" name="search" example="Any part of the address" />
            <ChoiceFilter label="State" name="state" options={STATES} />
          </Filters>
          <List
            from={mails}
            caption="Mails, newest first"
            selectable={SHARED}
            columns={['To', 'Mail', 'State', 'Asked for']}
            row={(mail) => ({
              key: mail.id,
              cells: [
                <WithAddress key="to">{mail.to}</WithAddress>,
                <Subject key="mail" {...mail} />,
                <StateOf key="state" {...mail} />,
                <Time key="when" at={mail.created_at} />,
              ],
              acts: mail.state === 'dead' && <Retry mail={mail} again={again} />,
            })}
            empty={<p>The service has mailed nothing lately.</p>}
          />
        </>
      )}
    </Screen>
  );
}

/** What can be done to several mails at once. */
const SHARED: Selectable<Mail> = {
  noun: 'mail',
  nameOf: ({ to, subject }) => `${to}: ${subject}`,
  canSelect: ({ state }) => state === 'dead',
  acts: [
    {
      verb: 'Send again',
      about: <p>First mend what made them fail: each goes out as soon as the provider takes it.</p>,
      act: ({ id }) => latchkey.retryMail({ id }),
    },
  ],
};

function RetryAll({ dead, again }: { dead: number; again: () => Promise<void> }) {
  return (
    <Ask
      button="Send failed mails again"
      weight="main"
      title={`Send ${counted(dead, 'failed mail', MOST_MAILS)} again?`}
      verb="Send again"
      act={async () => {
        const { revived } = await latchkey.retryDeadMails();
        await again();
        announce(`Failed mails that wait to be sent again: ${revived.toLocaleString()}.`);
      }}
    >
      <p>First mend what made them fail: each goes out as soon as the provider takes it.</p>
    </Ask>
  );
}

/** How many mails are in each state; each leads to those. */
function States({ provider, fallback, key_refused, states, oldest_waiting_at }: Outbox) {
  return (
    <>
      {key_refused && (
        <Alert>
          The provider {provider} refuses the service's key. Mails wait, and go out once a right key is in the
          settings.
        </Alert>
      )}
      <ul class="figures">
        {STATE_NAMES.map((state) => (
          <li key={state}>
            <a class="card" href={addressOf(`admin/mail?state=${state}`)}>
              <strong>{figure(states[state], MOST_MAILS)}</strong>{' '}
              <span class={`badge ${states[state] > 0 ? LOOKS[state] : ''}`}>{STATES[state]}</span>
            </a>
          </li>
        ))}
      </ul>
      <p class="quiet">
        Sent through {provider}
        {fallback && `, or ${fallback} while it fails`}.
        {oldest_waiting_at && (
          <>
            {' '}
            The oldest that waits is from <Time at={oldest_waiting_at} />.
          </>
        )}
      </p>
    </>
  );
}

function Subject({ subject, kind, last_error }: Mail) {
  return (
    <div>
      <bdi>{subject}</bdi>
      <small class="quiet">{kind}</small>
      {last_error && <small>{last_error}</small>}
    </div>
  );
}

function StateOf({ state, due_at, finished_at, attempts }: Mail) {
  return (
    <div>
      <span class={`badge ${LOOKS[state]}`}>{STATES[state]}</span>
      {finished_at && (
        <small class="quiet">
          <Time at={finished_at} />
        </small>
      )}
      <small class="quiet">
        {counted(attempts, 'attempt')}
        {!finished_at && attempts > 0 && (
          <>
            , next <Time at={due_at} as="clock" />
          </>
        )}
      </small>
    </div>
  );
}

function Retry({ mail: { id, to }, again }: { mail: Mail; again: () => Promise<void> }) {
  return (
    <Form
      act={async () => {
        await latchkey.retryMail({ id });
        await again();
        announce(`The mail to ${to} waits to be sent again.`);
      }}
    >
      <Submit weight="words" aria-label={`Send again: ${to}`}>
        Send again
      </Submit>
    </Form>
  );
}
