import { useEffect, useState } from 'preact/hooks';
import { stepUpWithPasskey } from '../../../client/passkeys.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Form } from './form.js';
import { Proofs } from './proofs.js';
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
    <Dialog title="Confirm that it is you" onClose={end}>
      {(close) => {
        const proven = () => {
          answer(true);
          close();
        };
        return (
          <>
            <p class="quiet">
              You last proved who you are more than ten minutes ago, and this needs a newer proof.
            </p>
            <Proofs
              methods={methods}
              verb="Confirm"
              prove={async (proof) => {
                await latchkey.stepUp(proof);
                proven();
              }}
              provePasskey={async () => {
                await stepUpWithPasskey(latchkey);
                proven();
              }}
            >
              <Form act={logInAnew}>
                <p>Please log in again. You come back to this page afterwards.</p>
                <button type="submit" class="button" autofocus>
                  Log in again
                </button>
              </Form>
            </Proofs>
            <div class="buttons end">
              <Button weight="words" onClick={close}>
                Cancel
              </Button>
            </div>
          </>
        );
      }}
    </Dialog>
  );
}
