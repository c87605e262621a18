import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { hasPasskeys } from '../../../client/passkeys.js';
import { deviceOf } from '../parts/device.js';
import { Ask } from '../parts/dialog.js';
import { Field } from '../parts/field.js';
import { Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import { announce } from '../parts/notice.js';
import { makePasskey, signalPasskeys } from '../parts/passkeys.js';
import { Row, Rows } from '../parts/rows.js';
import { Rich, say, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';
import type { User } from '../parts/session.js';
import { Time } from '../parts/time.js';
import { plain } from '../parts/words.js';
import { KEY } from './icons.js';

export function Passkeys({ user, changed }: { user: User; changed: () => void }) {
  const passkeys = useLoad(() => latchkey.listPasskeys());
  const data = passkeys.state === 'loaded' ? passkeys.data.data : null;
  useEffect(() => {
    // Devices that cannot be told go on to offer what was deleted: the login page says then what to do.
    if (data) signalPasskeys(user, data).catch(() => {});
  }, [data]);
  if (passkeys.state === 'failed' && passkeys.problem.code === 'NotFound') return null;

  return (
    <Section
      name="passkeys"
      title={say(Word['passkeys.title'])}
      acts={
        data &&
        hasPasskeys() && (
          <Ask
            button={say(Word['passkeys.add'])}
            weight="plain"
            title={say(Word['passkeys.add'])}
            verb={say(Word['passkeys.addIt'])}
            act={async ({ name }) => {
              const { passkey } = await makePasskey({ name: name || plain(deviceOf(navigator.userAgent)) });
              await passkeys.again();
              changed();
              announce(say(Word['passkeys.added'], { passkey: passkey.name }));
            }}
          >
            <p class="quiet">{say(Word['passkeys.asks'])}</p>
            <Field
              label={say(Word['passkeys.newName'])}
              name="name"
              autocomplete="off"
              isOptional
              hint={say(Word['passkeys.unnamed'])}
            />
          </Ask>
        )
      }
    >
      <Loaded from={passkeys} rows={1}>
        {({ data: list }, again) => (
          <Rows>
            {list.length === 0 && (
              <Row icon={KEY} note={say(Word['passkeys.why'])}>
                {say(hasPasskeys() ? Word['passkeys.none'] : Word['passkeys.tooOld'])}
              </Row>
            )}
            {list.map(({ id, name, backed_up, created_at, last_used_at }) => (
              <Row
                key={id}
                icon={KEY}
                note={
                  <Use
                    devices={backed_up ? 'several' : 'one'}
                    day={<Time at={created_at} as="day" />}
                    used={last_used_at && <Time at={last_used_at} />}
                  />
                }
                acts={
                  <>
                    <Ask
                      button={say(Word['passkeys.rename'])}
                      label={say(Word['passkeys.renameNamed'], { passkey: plain(name) })}
                      title={say(Word['passkeys.renameTitle'])}
                      verb={say(Word['passkeys.saveName'])}
                      act={async ({ name: other = '' }) => {
                        await latchkey.renamePasskey({ id, name: other });
                        await again();
                        announce(say(Word['passkeys.renamed'], { passkey: other }));
                      }}
                    >
                      <Field
                        label={say(Word['passkeys.otherName'])}
                        name="name"
                        autocomplete="off"
                        defaultValue={name}
                        autofocus
                      />
                    </Ask>
                    <Ask
                      button={say(Word['passkeys.delete'])}
                      label={say(Word['passkeys.deleteNamed'], { passkey: plain(name) })}
                      weight="words danger"
                      title={say(Word['passkeys.deleteTitle'], { passkey: plain(name) })}
                      verb={say(Word['passkeys.deleteIt'])}
                      isDangerous
                      act={async () => {
                        await latchkey.removePasskey({ id });
                        await again();
                        changed();
                        announce(say(Word['passkeys.deleted'], { passkey: plain(name) }));
                      }}
                    >
                      <p>{say(Word['passkeys.deleteWhat'])}</p>
                    </Ask>
                  </>
                }
              >
                <strong>
                  <bdi>{name}</bdi>
                </strong>
              </Row>
            ))}
          </Rows>
        )}
      </Loaded>
    </Section>
  );
}

function Use({
  devices,
  day,
  used,
}: {
  devices: 'several' | 'one';
  day: ComponentChildren;
  used: ComponentChildren;
}) {
  return used ? (
    <Rich word={Word['passkeys.used']} given={{ devices, day, used }} />
  ) : (
    <Rich word={Word['passkeys.unused']} given={{ devices, day }} />
  );
}
