import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { stepUpWithPasskey } from '../../../client/passkeys.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Form } from './form.js';
import { Loaded, useLoad } from './load.js';
import { problemInWords } from './problem-words.js';
import { Proofs } from './proofs.js';
import { Providers } from './providers.js';
import { returnHere } from './return-to.js';
import { say, Word } from './say.js';
import { type Challenge, latchkey, onStepUp } from './service.js';
import { logInAnew } from './session.js';

interface Asked {
  problem: Challenge;
  answer: (isProven: boolean) => void;
}

/**
 * The dialog that the client opens, from any page, when the service wants a recent proof. Only pages of an account bring the way
 * by mail.
 */
export function StepUp({ byMail: ByMail }: { byMail?: ComponentType<{ proven: () => void }> }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  useEffect(() => {
    onStepUp((problem) => new Promise((answer) => setAsked({ problem, answer })));
  }, []);
  if (!asked) return null;

  const { problem, answer } = asked;
  const org = organizationNamed(problem.org_id);
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
            {org && (
              <strong>
                <bdi>{org.name}</bdi>
              </strong>
            )}
            <p class="quiet">{problemInWords(problem)}</p>
            <Proofs
              methods={problem.methods}
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
              {ByMail && problem.methods.includes('email_code') ? <ByMail proven={proven} /> : <LogInAgain />}
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

/** The organization whose rules want the proof; none where it is for what the user does. */
function organizationNamed(orgId: string | null) {
  const session = latchkey.session.getSnapshot();
  return session.status === 'in' ? session.organizations.find(({ id }) => id === orgId) : undefined;
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
