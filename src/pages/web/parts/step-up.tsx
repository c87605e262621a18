import { useEffect, useState } from 'preact/hooks';
import { stepUpWithPasskey } from '../../../client/passkeys.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Form } from './form.js';
import { Loaded, useLoad } from './load.js';
import { Proofs } from './proofs.js';
import { Providers } from './providers.js';
import { returnHere } from './return-to.js';
import { say, Word } from './say.js';
import { latchkey, onStepUp } from './service.js';
import { logInAnew } from './session.js';

interface Asked {
  methods: string[];
  answer: (isProven: boolean) => void;
}

/** The dialog that the client opens, from any page, when the service wants a recent proof. */
export function StepUp() {
  const [asked, setAsked] = useState<Asked | null>(null);
  useEffect(() => {
    onStepUp(({ methods }) => new Promise((answer) => setAsked({ methods, answer })));
  }, []);
  if (!asked) return null;

  const { methods, answer } = asked;
  const end = () => {
    // Without a proof before; with one it is answered already.
    answer(false);
    setAsked(null);
  };
  return (
    <Dialog title={say(Word['parts.stepUp.title'])} onClose={end}>
      {(close) => {
        const proven = () => {
          answer(true);
          close();
        };
        return (
          <>
            <p class="quiet">{say(Word['parts.stepUp.why'])}</p>
            <Proofs
              methods={methods}
              purpose="confirm"
              prove={async (proof) => {
                await latchkey.stepUp(proof);
                proven();
              }}
              provePasskey={async () => {
                await stepUpWithPasskey(latchkey);
                proven();
              }}
            >
              <LogInAgain />
            </Proofs>
            <div class="buttons end">
              <Button weight="words" onClick={close}>
                {say(Word['parts.cancel'])}
              </Button>
            </div>
          </>
        );
      }}
    </Dialog>
  );
}

/**
 * The login at a linked provider begins in the session, which has the provider ask its user: after a logout the provider
 * may answer from its own session, and that is no newer proof.
 */
function LogInAgain() {
  const providers = useLoad(async () => {
    const [identities, methods] = await Promise.all([latchkey.listIdentities(), latchkey.methods()]);
    const linked = new Set(identities.data.map(({ provider }) => provider));
    return methods.providers.filter(({ id }) => linked.has(id));
  });
  return (
    <Loaded from={providers} rows={1}>
      {(linked) => (
        <>
          <p>{say(Word['parts.stepUp.logIn'])}</p>
          {linked.length > 0 ? (
            <Providers providers={linked} way="continue" flow={{ return_to: `/login${returnHere()}` }} />
          ) : (
            <Form act={logInAnew}>
              <button type="submit" class="button" autofocus>
                {say(Word['parts.stepUp.logInAgain'])}
              </button>
            </Form>
          )}
        </>
      )}
    </Loaded>
  );
}
