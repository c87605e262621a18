import { useState } from 'preact/hooks';
import { loginWithPasskey } from '../../../client/passkeys.js';
import { isProblem } from '../../../client/problem.js';
import { ButtonLink, Submit } from '../parts/button.js';
import { addressOf } from '../parts/facts.js';
import { Form } from '../parts/form.js';
import { Card } from '../parts/frame.js';
import { GreyRows, Loaded, useLoad } from '../parts/load.js';
import { go } from '../parts/notice.js';
import { Proofs } from '../parts/proofs.js';
import { titleOf } from '../parts/providers.js';
import { keepReturnTo, returnAddress } from '../parts/return-to.js';
import { latchkey } from '../parts/service.js';
import { Time } from '../parts/time.js';
import { AuthenticatorApp } from './authenticator-app.js';
import { forgetSecret, keepSecret, keptSecret } from './kept-secret.js';
import { areUnkept, RecoveryCodes } from './recovery-codes.js';

const LOGIN_OVER = 'This login took too long, or was finished in another tab. Please log in again.';
const IS_ON = 'You are logged in. From now on, a login also asks for a code of your app.';

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
    <Card title="One more step">
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
    await go(areUnkept(factors) ? `${addressOf('ui/security')}${keepReturnTo()}` : returnAddress());
    return null;
  }
}

function beginAgain(): Promise<never> {
  return go(`${addressOf('ui/login')}${keepReturnTo()}`, LOGIN_OVER, { isDone: false });
}

function Step({ methods, linked }: Pending) {
  const [lost, setLost] = useState<Lost | null>(null);
  if (lost) return <LostApp {...lost} />;
  return (
    <Card title="One more step">
      <p class="quiet">Your account asks for a second proof that it is you.</p>
      <Linked provider={linked} />
      <Proofs
        methods={methods}
        verb="Log in"
        prove={(proof) =>
          whilePending(async () => {
            const { recovery_codes_left } = await latchkey.completeLogin(proof as { totp: string });
            if (!('recovery_code' in proof)) return go(returnAddress());
            const said = codesLeft(recovery_codes_left);
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
        <p>
          Your account has a passkey, which this browser cannot use. Log in with a newer browser, or on
          another device.
        </p>
      </Proofs>
      <p class="quiet">
        If you no longer have any of these, ask an admin to reset the second step of your account.
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
    <Card title="Did you lose the app?" isNew>
      <p>{said}</p>
      {mayRemove ? (
        <>
          <p>
            If you no longer have your authenticator app, remove it: a person who finds it could log in with
            its codes. You can add another one afterwards, under Security.
          </p>
          <Form
            act={async () => {
              await latchkey.removeTotp();
              await go(addressOf('ui/security'), 'The authenticator app is removed.');
            }}
          >
            <Submit weight="danger">Remove the lost app</Submit>
          </Form>
        </>
      ) : (
        <>
          <p>
            You must have a second factor. If you no longer have your authenticator app, first add a passkey
            under Security. Then remove the app there, and add another one.
          </p>
          <ButtonLink href={`security${keepReturnTo()}`}>Go to Security</ButtonLink>
        </>
      )}
      <ButtonLink weight="plain" href={returnAddress()}>
        I still have the app
      </ButtonLink>
    </Card>
  );
}

function codesLeft(left: number): string {
  const rest = left === 1 ? '1 recovery code is' : `${left} recovery codes are`;
  return `You are logged in. That code no longer works; ${rest} left. You can make new ones under Security.`;
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
      <Card title="Keep your recovery codes" isNew>
        <RecoveryCodes {...done} goOn={() => go(returnAddress(), IS_ON)} />
      </Card>
    );
  if (secret)
    return (
      <Card title="Add your account to the app" isNew>
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
    <Card title="Make your login safer">
      <p>
        Your organization or your role requires a second step at the login. From now on, a login also asks for
        a code that an app on your phone shows. A person who steals your password can then not log in as you.
      </p>
      <p>
        You need an authenticator app on your phone. Google Authenticator, Microsoft Authenticator and 2FAS
        are free, and most password managers can do it too. Install one before you continue.
      </p>
      <p class="quiet">
        You have time until <Time at={expires_at} as="clock" />. After that, log in and begin again.
      </p>
      <Linked provider={linked} />
      <Form act={begin}>
        <Submit autofocus>I have an app</Submit>
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
      Once you confirm, you can also log in with <strong>{provider}</strong>. Cancel if you did not just log
      in there.
    </p>
  );
}

/** Gives the login up, so that the next person at this computer does not find it. */
function Cancel() {
  return (
    <Form act={cancel}>
      <Submit weight="words">Cancel</Submit>
    </Form>
  );
}

async function cancel(): Promise<void> {
  await whilePending(() => latchkey.cancelLogin());
  await go(`${addressOf('ui/login')}${keepReturnTo()}`);
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
