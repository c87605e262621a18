import { useState } from 'preact/hooks';
import { loginWithPasskey } from '../../../client/passkeys.js';
import { isProblem } from '../../../client/problem.js';
import { ButtonLink, Submit } from '../parts/button.js';
import { addressOf, facts } from '../parts/facts.js';
import { Form } from '../parts/form.js';
import { Card } from '../parts/frame.js';
import { GreyRows, Loaded, useLoad } from '../parts/load.js';
import { go } from '../parts/notice.js';
import { Proofs } from '../parts/proofs.js';
import { titleOf } from '../parts/providers.js';
import { keepReturnTo, returnAddress } from '../parts/return-to.js';
import { Rich, say, strong, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';
import { Time } from '../parts/time.js';
import { AuthenticatorApp } from './authenticator-app.js';
import { forgetSecret, keepSecret, keptSecret } from './kept-secret.js';
import { areUnkept, RecoveryCodes } from './recovery-codes.js';

type Pending = Awaited<ReturnType<typeof latchkey.getPendingLogin>>['pending_login'] & {
  /** What users call the provider that the step links; null when it links none. */
  linked: string | null;
};

/**
 * Ends a login that lacks its second step. The page asks the service what is missing, so that it works after a reload,
 * and when the login through a provider leads here.
 */
export function SecondStep() {
  const pending = useLoad(pendingLogin);
  if (pending.state === 'loaded' && pending.data) {
    const { data } = pending;
    return data.next === 'setup' ? <SetUp {...data} /> : <Step {...data} />;
  }
  return (
    <Card title={say(Word['secondStep.title'])}>
      <Loaded from={pending}>{() => <GreyRows />}</Loaded>
    </Card>
  );
}

/** Returns null when the user goes on elsewhere: they have taken the step already, or the login is over. */
async function pendingLogin(): Promise<Pending | null> {
  try {
    const { pending_login: pending } = await latchkey.getPendingLogin();
    const linked = pending.links && titleOf(pending.links, (await latchkey.methods()).providers);
    return { ...pending, linked };
  } catch (error) {
    if (!isProblem(error, 'Unauthenticated')) throw error;
    const isLoggedIn = await latchkey.me().then(
      () => true,
      () => false,
    );
    if (!isLoggedIn) await beginAgain();
    // A reload of the page that showed recovery codes has lost them.
    const { factors } = await latchkey.getFactors();
    await go(areUnkept(factors) ? addressOf(`ui/security${keepReturnTo()}`) : returnAddress());
    return null;
  }
}

function beginAgain(): Promise<never> {
  return go(addressOf(`ui/login${keepReturnTo()}`), say(Word['secondStep.over']), { isDone: false });
}

function Step({ methods, linked }: Pending) {
  const [lost, setLost] = useState<Lost | null>(null);
  if (lost) return <LostApp {...lost} />;
  return (
    <Card title={say(Word['secondStep.title'])}>
      <p class="quiet">{say(Word['secondStep.what'])}</p>
      <Linked provider={linked} />
      <Proofs
        methods={methods}
        purpose="login"
        prove={(proof) =>
          whilePending(async () => {
            const { recovery_codes_left } = await latchkey.completeLogin(proof as { totp: string });
            if (!('recovery_code' in proof)) return go(returnAddress());
            const said = say(Word['secondStep.codeUsed'], { count: recovery_codes_left });
            const { factors } = await latchkey.getFactors();
            if (factors.totp === null) return go(returnAddress(), said);
            setLost({ said, mayRemove: factors.second_step === 'on' || factors.passkeys > 0 });
          })
        }
        provePasskey={async () => {
          await loginWithPasskey(latchkey, { secondStep: true });
          await go(returnAddress());
        }}
      >
        <p>{say(Word['secondStep.passkeyOnly'])}</p>
      </Proofs>
      <p class="quiet">
        {say(Word['secondStep.noneLeft'], {
          helper: facts.isB2b && facts.orgsPerUser === 1 ? 'org' : 'service',
        })}
      </p>
      <Cancel />
    </Card>
  );
}

interface Lost {
  /** What became of the code. */
  said: string;
  /** Whether the user may be without the app: a factor that must be there needs another one in its place. */
  mayRemove: boolean;
}

/** Asks a user who has logged in with a recovery code what became of the app: a person who finds it has its codes. */
function LostApp({ said, mayRemove }: Lost) {
  return (
    <Card title={say(Word['secondStep.lost.title'])} isNew>
      <p>{said}</p>
      {mayRemove ? (
        <>
          <p>{say(Word['secondStep.lost.remove'])}</p>
          <Form
            act={async () => {
              await latchkey.removeTotp();
              await go(addressOf('ui/security'), say(Word['app.removed']));
            }}
          >
            <Submit weight="danger">{say(Word['secondStep.lost.removeApp'])}</Submit>
          </Form>
        </>
      ) : (
        <>
          <p>{say(Word['secondStep.lost.replace'])}</p>
          <ButtonLink href={addressOf(`ui/security${keepReturnTo()}`)}>
            {say(Word['secondStep.lost.security'])}
          </ButtonLink>
        </>
      )}
      <ButtonLink weight="plain" href={returnAddress()}>
        {say(Word['secondStep.lost.have'])}
      </ButtonLink>
    </Card>
  );
}

function SetUp({ expires_at, linked }: Pending) {
  const [secret, setSecret] = useState(() => keptSecret(expires_at));
  const [done, setDone] = useState<{ email: string; codes: string[] } | null>(null);

  const begin = () =>
    whilePending(async () => {
      const begun = await latchkey.beginLoginTotp();
      keepSecret(expires_at, begun);
      setSecret(begun);
    });

  if (done)
    return (
      <Card title={say(Word['codes.title'])} isNew>
        <RecoveryCodes {...done} goOn={() => go(returnAddress(), say(Word['secondStep.setUp.done']))} />
      </Card>
    );
  if (secret)
    return (
      <Card title={say(Word['app.title'])} isNew>
        <AuthenticatorApp
          {...secret}
          confirm={(code) =>
            whilePending(async () => {
              const { user, recovery_codes } = await latchkey.confirmLoginTotp({ code });
              forgetSecret();
              setDone({ email: user.email, codes: recovery_codes });
            })
          }
        />
        <Cancel />
      </Card>
    );
  return (
    <Card title={say(Word['secondStep.setUp.title'])}>
      <p>{say(Word['secondStep.setUp.why'])}</p>
      <p>{say(Word['secondStep.setUp.need'])}</p>
      <p class="quiet">
        <Rich
          word={Word['secondStep.setUp.until']}
          given={{ deadline: <Time at={expires_at} as="clock" /> }}
        />
      </p>
      <Linked provider={linked} />
      <Form act={begin}>
        <Submit autofocus>{say(Word['secondStep.setUp.begin'])}</Submit>
      </Form>
      <Cancel />
    </Card>
  );
}

/** Says what the step does beside: a person who did not come from the provider must not link it unawares. */
function Linked({ provider }: { provider: string | null }) {
  if (provider === null) return null;
  return (
    <p>
      <Rich word={Word['secondStep.linked']} given={{ provider, strong }} />
    </p>
  );
}

/** Gives the login up, so that the next person at this computer does not find it. */
function Cancel() {
  return (
    <Form act={cancel}>
      <Submit weight="words">{say(Word['parts.cancel'])}</Submit>
    </Form>
  );
}

async function cancel(): Promise<void> {
  await whilePending(() => latchkey.cancelLogin());
  await go(addressOf(`ui/login${keepReturnTo()}`));
}

/** Does what needs a pending login. A user whose login is over logs in again, and then comes to the same page. */
async function whilePending(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isProblem(error, 'Unauthenticated')) await beginAgain();
    throw error;
  }
}
