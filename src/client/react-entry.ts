'use client';

import { useEffect, useState } from 'react';
import type { components } from './contract.js';
import { isProblem, type LatchkeyProblem } from './problem.js';
import { useLatchkey, useSession } from './react-client.js';
import type { Session, User } from './session.js';

export type PendingLogin = components['schemas']['PendingLogin'];

/** What a page asks of its visitor at present. Each of them shows another form. */
export type EntryStep =
  /** It is not known yet whether somebody is logged in. */
  | { readonly step: 'loading' }
  /** A second factor, in one of `pending.methods`. */
  | { readonly step: 'second-step'; readonly pending: PendingLogin }
  /** The user must have a second factor, and has none. */
  | { readonly step: 'set-up'; readonly pending: PendingLogin }
  /** The app shows a code once it has the secret; `uri` is for a QR code. */
  | { readonly step: 'confirm-app'; readonly secret: string; readonly uri: string }
  /** The service shows these codes once. The user is logged in, and goes on when they are kept. */
  | { readonly step: 'recovery-codes'; readonly codes: readonly string[] }
  /** The user is logged in. */
  | { readonly step: 'done' };

/** What every way in has. None of the functions throws a problem: it is in `problem`, and the step stays. */
export interface Entry {
  readonly isBusy: boolean;
  /** Why the last attempt failed; null once another one begins. */
  readonly problem: LatchkeyProblem | null;
  /** Takes the second step. */
  completeLogin(proof: { totp: string } | { recovery_code: string }): Promise<void>;
  /** Begins the set-up of an authenticator app. */
  beginSetUp(): Promise<void>;
  /** Adds the app that shows the code. */
  confirmApp(code: string): Promise<void>;
  /** Says that the user has kept the recovery codes. */
  keepCodes(): void;
  /** Gives up what waits for a second step. */
  cancel(): Promise<void>;
  /** Any other way in, such as `() => loginWithPasskey(latchkey)`. What is no problem is thrown. */
  attempt(way: () => Promise<EntryAnswer>): Promise<void>;
}

export type EntryAnswer = { user: User; session: Session } | { pending_login: PendingLogin };

export interface Credentials {
  email: string;
  password: string;
}

export type SignupDetails = Credentials & { name?: string | undefined; org_name?: string | undefined };

type LoginStep = EntryStep | { readonly step: 'credentials' };

type SignupStep =
  | EntryStep
  | { readonly step: 'details' }
  /** The link in the mail leads to the page that has the `token`. */
  | { readonly step: 'mail-sent'; readonly email: string }
  /** The visitor presses a button: a mail scanner that opens the link uses nothing up. */
  | { readonly step: 'confirm' }
  /** Another browser signed up, so the visitor states the password, or a new one. */
  | { readonly step: 'password' };

export type Login = LoginStep & Entry & { logIn(credentials: Credentials): Promise<void> };

export type Signup = SignupStep &
  Entry & {
    signUp(details: SignupDetails): Promise<void>;
    /** Sends the link again. */
    resend(): Promise<void>;
    /** Makes the account that the token of the mail is for. */
    confirm(password?: { password: string } | { new_password: string }): Promise<void>;
  };

type Step = LoginStep | SignupStep;

/** Steps that end when the user logs in, be it in another tab. */
const OPEN_TO_OTHER_TABS = ['credentials', 'details', 'mail-sent'];

/** Steps that need a login which waits for its second step. */
const PENDING = ['second-step', 'set-up', 'confirm-app'];

/**
 * Logs in, step by step. With `resume` it goes on with a login that waits for its second step: after a reload, and where
 * a login through a provider leads to.
 */
export function useLogin({ resume = false } = {}): Login {
  const latchkey = useLatchkey();
  const { entry, attempt } = useEntry<LoginStep>({ step: 'credentials' }, resume);
  return { ...entry, logIn: (credentials) => attempt(() => latchkey.login(credentials)) } as Login;
}

/** Signs up, step by step. The page that the mail leads to gives the `token` of its address. */
export function useSignup({ token }: { token?: string | null | undefined } = {}): Signup {
  const latchkey = useLatchkey();
  const first = { step: token ? 'confirm' : 'details' } as const;
  const { entry, attempt, take } = useEntry<SignupStep>(first, false);

  return {
    ...entry,
    signUp: ({ org_name, ...account }) =>
      take(async () => {
        if (org_name) await latchkey.signupOrg({ ...account, org_name });
        else await latchkey.signup(account);
        return { step: 'mail-sent', email: account.email };
      }),
    resend: () =>
      take(async (step) => {
        if ('email' in step) await latchkey.resendVerification({ email: step.email });
        return step;
      }),
    confirm: (password) => attempt(() => latchkey.verifyEmail({ token: token ?? '', ...password })),
  } as Signup;
}

function useEntry<S extends Step>(first: S, resume: boolean) {
  const latchkey = useLatchkey();
  const session = useSession();
  const [{ at, isBusy, problem }, set] = useState<{
    at: Step;
    isBusy: boolean;
    problem: LatchkeyProblem | null;
  }>({ at: resume ? { step: 'loading' } : first, isBusy: resume, problem: null });

  /** Does the work of a step. It is busy until the next step is known, so that no page sees a login amid it. */
  async function take(work: (at: Step) => Promise<Step>): Promise<void> {
    set({ at, isBusy: true, problem: null });
    try {
      set({ at: await work(at), isBusy: false, problem: null });
    } catch (error) {
      const known = isProblem(error) ? error : null;
      const next = known ? await stepAfter(known) : at;
      set({
        at: next,
        isBusy: false,
        problem: next.step === 'password' && at.step !== next.step ? null : known,
      });
      if (!known) throw error;
    }
  }

  async function stepAfter(problem: LatchkeyProblem): Promise<Step> {
    if (isProblem(problem, 'PasswordRequired')) return { step: 'password' };
    if (isProblem(problem, 'Unauthenticated') && PENDING.includes(at.step)) return first;
    // The user has set up a factor in another browser meanwhile.
    return isProblem(problem, 'TotpAlreadyOn') ? readPending().catch(() => first) : at;
  }

  const readPending = async () => stepOf(await latchkey.getPendingLogin());
  const attempt = (way: () => Promise<EntryAnswer>) => take(async () => stepOf(await way()));

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page opens.
  useEffect(() => {
    if (!resume) return;
    const settle = (next: Step, problem: LatchkeyProblem | null) =>
      set((now) => (now.at.step === 'loading' ? { at: next, isBusy: false, problem } : now));
    readPending().then(
      (next) => settle(next, null),
      (error) => settle(first, isProblem(error, 'Unauthenticated') ? null : error),
    );
  }, []);

  const entry: Step & Entry = {
    ...shown(),
    isBusy,
    problem,
    attempt,
    completeLogin: (proof) => attempt(() => latchkey.completeLogin(proof)),
    beginSetUp: () => take(async () => ({ step: 'confirm-app', ...(await latchkey.beginLoginTotp()) })),
    confirmApp: (code) =>
      take(async () => {
        const { recovery_codes } = await latchkey.confirmLoginTotp({ code });
        return { step: 'recovery-codes', codes: recovery_codes };
      }),
    keepCodes: () => set({ at: { step: 'done' }, isBusy: false, problem: null }),
    cancel: () =>
      take(async () => {
        await latchkey.cancelLogin();
        return first;
      }),
  };
  return { entry, attempt, take };

  function shown(): Step {
    if (isBusy) return at;
    if (at.step === 'done') return session.status === 'in' ? at : first;
    if (!OPEN_TO_OTHER_TABS.includes(at.step)) return at;
    if (session.status === 'in') return { step: 'done' };
    return session.status === 'loading' ? { step: 'loading' } : at;
  }
}

function stepOf(answer: EntryAnswer): EntryStep {
  if (!('pending_login' in answer)) return { step: 'done' };
  const { pending_login: pending } = answer;
  return { step: pending.next === 'setup' ? 'set-up' : 'second-step', pending };
}
