import type { ComponentChildren } from 'preact';
import { Ask } from '../parts/dialog.js';
import { facts } from '../parts/facts.js';
import { Choice, Field, TextArea } from '../parts/field.js';
import type { Sent } from '../parts/form.js';
import { Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import { announce } from '../parts/notice.js';
import { Row, Rows } from '../parts/rows.js';
import { say, Word } from '../parts/say.js';
import { latchkey } from './service.js';

type Read = Awaited<ReturnType<typeof latchkey.getOrgPolicy>>;
type Policy = Read['policy'];
type Caller = Read['caller'];

const METHODS = ['password', 'passkey', 'idp', 'email_code'] as const;

/** What an organization asks of the sessions that enter it, beside a second factor. */
export function AccessRules({ org_id }: { org_id: string }) {
  const loading = useLoad(() => latchkey.getOrgPolicy({ org_id }));
  return (
    <Section name="access" title={say(Word['access.title'])}>
      <Loaded from={loading} rows={4}>
        {({ policy, caller }, again) => {
          const change = async (changed: Partial<Policy>) => {
            await latchkey.updateOrgPolicy({ org_id, ...changed });
            await again();
            announce(say(Word['access.done']));
          };
          return <Rules policy={policy} caller={caller} change={change} />;
        }}
      </Loaded>
    </Section>
  );
}

function Rules({
  policy: { idle_minutes, age_minutes, login_methods, networks, acting },
  caller,
  change,
}: {
  policy: Policy;
  caller: Caller;
  change: (changed: Partial<Policy>) => Promise<void>;
}) {
  return (
    <Rows>
      <Minutes
        label={say(Word['access.idle'])}
        hint={say(Word['access.idle.hint'])}
        name="idle_minutes"
        minutes={idle_minutes}
        change={change}
      />
      <Minutes
        label={say(Word['access.age'])}
        hint={say(Word['access.age.hint'])}
        name="age_minutes"
        minutes={age_minutes}
        change={change}
      />
      <Row
        label={say(Word['access.methods'])}
        acts={
          <Change
            label={say(Word['access.methods'])}
            act={(sent) => {
              const chosen = METHODS.filter((method) => method in sent);
              return change({ login_methods: chosen.length > 0 ? chosen : null });
            }}
          >
            <p>{say(Word['access.methods.hint'])}</p>
            {METHODS.map((method) => (
              <Choice key={method} name={method} isTicked={login_methods?.includes(method) === true}>
                {say(Word['access.method'], { method })}
              </Choice>
            ))}
          </Change>
        }
      >
        <Each of={login_methods?.map((method) => say(Word['access.method'], { method }))} />
      </Row>
      <Row
        label={say(Word['access.networks'])}
        acts={
          <Change
            label={say(Word['access.networks'])}
            act={({ networks: lines = '' }) => change({ networks: lines.match(/[^\s,]+/g) })}
          >
            <OwnAddress {...caller} />
            <TextArea
              label={say(Word['access.networks'])}
              hint={say(Word['access.networks.hint'])}
              name="networks"
              isOptional
              defaultValue={networks?.join('\n')}
            />
          </Change>
        }
      >
        <Each of={networks} />
      </Row>
      {facts.hasActing && (
        <Row
          label={say(Word['access.acting'])}
          acts={
            <Change
              label={say(Word['access.acting'])}
              act={({ acting: ticked }) => change({ acting: ticked !== undefined })}
            >
              <Choice name="acting" isTicked={acting}>
                {say(Word['access.acting.may'])}
              </Choice>
              <p class="quiet">{say(Word['access.acting.hint'])}</p>
            </Change>
          }
        >
          {say(acting ? Word['access.acting.may'] : Word['access.acting.nobody'])}
        </Row>
      )}
    </Rows>
  );
}

/** From where the admin comes: without it in a list, they would lock themselves out. */
function OwnAddress({ ip, network }: Caller) {
  if (ip === null) return null;
  return (
    <p>
      {network === null
        ? say(Word['access.networks.own'], { ip })
        : say(Word['access.networks.through'], { ip, network })}
    </p>
  );
}

/** A time in minutes, and a dialog that sets it. */
function Minutes({
  label,
  hint,
  name,
  minutes,
  change,
}: {
  label: string;
  hint: string;
  name: 'idle_minutes' | 'age_minutes';
  minutes: number | null;
  change: (changed: Partial<Policy>) => Promise<void>;
}) {
  return (
    <Row
      label={label}
      acts={
        <Change
          label={label}
          act={({ [name]: typed }) => change({ [name]: typed === undefined ? null : minutesIn(typed) })}
        >
          <Field
            label={label}
            hint={hint}
            name={name}
            inputMode="numeric"
            autocomplete="off"
            isOptional
            autofocus
            defaultValue={minutes?.toString()}
          />
        </Change>
      }
    >
      {minutes === null ? say(Word['access.unlimited']) : say(Word['access.minutes'], { count: minutes })}
    </Row>
  );
}

/** What is no number goes out as it was typed, so that the service refuses it at the field. */
function minutesIn(text: string): number {
  const typed = Number(text);
  return Number.isNaN(typed) ? (text as unknown as number) : typed;
}

function Change({
  label,
  act,
  children,
}: {
  label: string;
  act: (sent: Sent) => Promise<void>;
  children: ComponentChildren;
}) {
  return (
    <Ask
      button={say(Word['user.change'])}
      label={say(Word['access.change.named'], { label })}
      title={label}
      verb={say(Word['user.save'])}
      act={act}
    >
      {children}
    </Ask>
  );
}

/** Each of a few, on a line of its own; or that there is no choice among them. */
function Each({ of }: { of: string[] | null | undefined }) {
  if (!of) return <>{say(Word['access.all'])}</>;
  return (
    <>
      {of.map((each) => (
        <div key={each}>
          <bdi>{each}</bdi>
        </div>
      ))}
    </>
  );
}
