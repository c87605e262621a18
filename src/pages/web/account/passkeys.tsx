import { useEffect } from 'preact/hooks';
import { hasPasskeys } from '../../../client/passkeys.js';
import { Ask } from '../parts/dialog.js';
import { Field } from '../parts/field.js';
import { Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import { say } from '../parts/notice.js';
import { makePasskey, signalPasskeys } from '../parts/passkeys.js';
import { Row, Rows } from '../parts/rows.js';
import { latchkey } from '../parts/service.js';
import type { User } from '../parts/session.js';
import { Time } from '../parts/time.js';
import { plain } from '../parts/words.js';

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
      title="Passkeys"
      acts={
        data &&
        hasPasskeys() && (
          <Ask
            button="Add a passkey"
            weight="plain"
            title="Add a passkey"
            verb="Add it"
            act={async ({ name }) => {
              const { passkey } = await makePasskey(name ? { name } : {});
              await passkeys.again();
              changed();
              say(`You can log in with the passkey ${passkey.name} now.`);
            }}
          >
            <p class="quiet">Your browser asks for your fingerprint, your face, a PIN or a security key.</p>
            <Field
              label="Name of the new passkey"
              name="name"
              autocomplete="off"
              isOptional
              hint="Without one it is called after this browser."
            />
          </Ask>
        )
      }
    >
      <Loaded from={passkeys} rows={1}>
        {({ data: list }, again) => (
          <Rows>
            {list.length === 0 && (
              <Row
                icon="key"
                note="With a passkey you log in without a password: with your fingerprint, your face or the PIN of your device."
              >
                You have no passkey yet.
                {!hasPasskeys() && ' This browser is too old to add one.'}
              </Row>
            )}
            {list.map(({ id, name, backed_up, created_at, last_used_at }) => (
              <Row
                key={id}
                icon="key"
                note={
                  <>
                    {backed_up ? 'On several devices' : 'On one device'}, added{' '}
                    <Time at={created_at} as="day" />,{' '}
                    {last_used_at ? (
                      <>
                        last used <Time at={last_used_at} />
                      </>
                    ) : (
                      'not used yet'
                    )}
                  </>
                }
                acts={
                  <>
                    <Ask
                      button="Rename"
                      label={`Rename ${plain(name)}`}
                      title="Rename the passkey"
                      verb="Save the name"
                      act={async ({ name: other = '' }) => {
                        await latchkey.renamePasskey({ id, name: other });
                        await again();
                        say(`The passkey is called ${other} now.`);
                      }}
                    >
                      <Field label="New name" name="name" autocomplete="off" defaultValue={name} autofocus />
                    </Ask>
                    <Ask
                      button="Delete"
                      label={`Delete ${plain(name)}`}
                      weight="words danger"
                      title={`Delete ${plain(name)}?`}
                      verb="Delete it"
                      isDangerous
                      act={async () => {
                        await latchkey.removePasskey({ id });
                        await again();
                        changed();
                        say(`The passkey ${plain(name)} is deleted. You can no longer log in with it.`);
                      }}
                    >
                      <p>You can no longer log in with it, on any device.</p>
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
