import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import { unreachable } from '../../../client/problem.js';
import { WithAddress } from '../parts/address.js';
import { Submit } from '../parts/button.js';
import { Ask } from '../parts/dialog.js';
import { addressOf } from '../parts/facts.js';
import { figure } from '../parts/figure.js';
import { Form } from '../parts/form.js';
import { Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import { Alert, announce } from '../parts/notice.js';
import { Rich, say, Word } from '../parts/say.js';
import { Time } from '../parts/time.js';
import { asked, askedPage } from './address-query.js';
import { ChoiceFilter, Filters, TextFilter } from './filters.js';
import { Screen } from './frame.js';
import { List } from './list.js';
import { MOST_MAILS, type Outbox, readOutboxAgain, useOutbox } from './outbox-now.js';
import type { Selectable } from './selection.js';
import { latchkey } from './service.js';

const LOOKS = { waiting: 'warn', sent: 'good', expired: '', dead: 'danger' };

type State = keyof typeof LOOKS;
const STATES = Object.keys(LOOKS) as State[];
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
    <Screen
      title={say(Word['frame.section'], { section: 'mail' })}
      audience="sys_admin"
      act={dead > 0 && <RetryAll dead={dead} again={again} />}
    >
      {({ email }) => (
        <>
          <Loaded from={outbox} rows={2}>
            {(known) => <States {...known} />}
          </Loaded>
          <Filters>
            <TextFilter label={say(Word['outbox.to'])} name="search" example={say(Word['outbox.toHint'])} />
            <ChoiceFilter
              label={say(Word['outbox.stateLabel'])}
              name="state"
              options={Object.fromEntries(STATES.map((state) => [state, inWords(state)]))}
            />
          </Filters>
          <List
            from={mails}
            caption={say(Word['outbox.caption'])}
            selectable={shared()}
            columns={[
              say(Word['outbox.to']),
              say(Word['outbox.email']),
              say(Word['outbox.stateLabel']),
              say(Word['outbox.asked']),
            ]}
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
            empty={<p>{say(Word['outbox.empty'])}</p>}
          />
          <Preview email={email} again={again} />
        </>
      )}
    </Screen>
  );
}

interface PreviewProps {
  email: string;
  again: () => Promise<void>;
}

/** What the service mails, for who wants to see it. The program for it is loaded only then. */
function Preview(props: PreviewProps) {
  const [Shown, setShown] = useState<ComponentType<PreviewProps> | null>(null);
  async function open(): Promise<void> {
    const { MailPreview } = await import('./mail-preview.js').catch((error) => {
      throw unreachable(0, error);
    });
    setShown(() => MailPreview);
  }
  const opener = (
    <Form act={open}>
      <Submit weight="plain">{say(Word['mailPreview.open'])}</Submit>
    </Form>
  );
  return (
    <Section name="preview" title={say(Word['mailPreview.title'])} acts={!Shown && opener}>
      {Shown && <Shown {...props} />}
    </Section>
  );
}

/** What can be done to several mails at once. */
function shared(): Selectable<Mail> {
  return {
    all: say(Word['outbox.selectAll']),
    some: (count) => say(Word['outbox.selected'], { count }),
    nameOf: ({ to, subject }) => say(Word['outbox.name'], { email: to, title: subject }),
    canSelect: ({ state }) => state === 'dead',
    acts: [
      {
        verb: say(Word['outbox.again']),
        title: (count) => say(Word['outbox.again.title'], { count }),
        about: <p>{say(Word['outbox.fixFirst'])}</p>,
        act: ({ id }) => latchkey.retryMail({ id }),
      },
    ],
  };
}

function inWords(state: State): string {
  return say(Word['outbox.state'], { mail: state });
}

function RetryAll({ dead, again }: { dead: number; again: () => Promise<void> }) {
  return (
    <Ask
      button={say(Word['outbox.all'])}
      weight="main"
      title={say(Word['outbox.all.title'], { count: dead, figure: figure(dead, MOST_MAILS) })}
      verb={say(Word['outbox.again'])}
      act={async () => {
        const { revived } = await latchkey.retryDeadMails();
        await again();
        announce(say(Word['outbox.all.done'], { count: revived }));
      }}
    >
      <p>{say(Word['outbox.fixFirst'])}</p>
    </Ask>
  );
}

/** How many mails are in each state; each leads to those. */
function States({ provider, fallback, key_refused, states, oldest_waiting_at }: Outbox) {
  return (
    <>
      {key_refused && <Alert>{say(Word['outbox.keyRefused'], { provider })}</Alert>}
      <ul class="figures">
        {STATES.map((state) => (
          <li key={state}>
            <a class="card" href={addressOf(`admin/mail?state=${state}`)}>
              <strong>{figure(states[state], MOST_MAILS)}</strong>{' '}
              <span class={`badge ${states[state] > 0 ? LOOKS[state] : ''}`}>{inWords(state)}</span>
            </a>
          </li>
        ))}
      </ul>
      <p class="quiet">
        {fallback
          ? say(Word['outbox.throughEither'], { provider, fallback })
          : say(Word['outbox.through'], { provider })}{' '}
        {oldest_waiting_at && (
          <Rich word={Word['outbox.oldest']} given={{ when: <Time at={oldest_waiting_at} /> }} />
        )}
      </p>
    </>
  );
}

function Subject({ subject, kind, last_error }: Mail) {
  return (
    <div>
      <bdi lang="en">{subject}</bdi>
      <small class="quiet" lang="en">
        {kind}
      </small>
      {last_error && <small lang="en">{last_error}</small>}
    </div>
  );
}

function StateOf({ state, due_at, finished_at, attempts }: Mail) {
  return (
    <div>
      <span class={`badge ${LOOKS[state]}`}>{inWords(state)}</span>
      {finished_at && (
        <small class="quiet">
          <Time at={finished_at} />
        </small>
      )}
      <small class="quiet">
        {!finished_at && attempts > 0 ? (
          <Rich
            word={Word['outbox.next']}
            given={{ count: attempts, when: <Time at={due_at} as="clock" /> }}
          />
        ) : (
          say(Word['outbox.attempts'], { count: attempts })
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
        announce(say(Word['outbox.done'], { email: to }));
      }}
    >
      <Submit weight="words" aria-label={say(Word['outbox.againTo'], { email: to })}>
        {say(Word['outbox.again'])}
      </Submit>
    </Form>
  );
}
