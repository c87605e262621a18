import { createHmac } from 'node:crypto';
import { giveRole, loggedInAs, PASSWORD } from './accounts.js';
import type { Browser } from './browser.js';
import type { TestApp } from './test-app.js';

const STEP_SECONDS = 30;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** An authenticator app (RFC 6238, written anew from its text), which knows a secret and the time. */
export class AuthenticatorApp {
  constructor(readonly secret: string) {}

  /** The code of a time step, counted from the present one. */
  code(stepsFromNow = 0): string {
    const step = Math.floor(Date.now() / 1000 / STEP_SECONDS) + stepsFromNow;
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(BigInt(step));
    const mac = createHmac('sha1', decoded(this.secret)).update(counter).digest();
    const offset = (mac.at(-1) ?? 0) & 0xf;
    const number = (mac.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 1_000_000;
    return String(number).padStart(6, '0');
  }

  /** A code that no step near the present one has. */
  wrongCode(): string {
    const right = [-2, -1, 0, 1, 2].map((step) => this.code(step));
    const wrong = ['000000', '111111', '222222', '333333', '444444', '555555'];
    return wrong.find((code) => !right.includes(code)) ?? '';
  }
}

/** A user who has logged in by password, and has added an authenticator app since. */
export interface AppOwner {
  browser: Browser;
  id: string;
  email: string;
  app: AuthenticatorApp;
  recoveryCodes: string[];
}

/** Makes such a user, of a role. */
export async function appOwner(
  app: TestApp,
  role: Parameters<typeof loggedInAs>[1] = 'member',
): Promise<AppOwner> {
  const browser = await loggedInAs(app, 'member');
  const { id, email } = browser;
  const added = await addApp(app, { browser, id });
  await giveRole(app.database, id, role);
  return { browser, id, email, ...added };
}

/** Adds an authenticator app to the account of a browser that is logged in. */
export async function addApp(
  app: TestApp,
  { browser, id }: Pick<AppOwner, 'browser' | 'id'>,
): Promise<Pick<AppOwner, 'app' | 'recoveryCodes'>> {
  const begun = await browser.post('/users/me/totp');
  if (begun.status !== 200) throw new Error(`the secret answered ${begun.status}`);
  const authenticatorApp = new AuthenticatorApp(begun.body.secret);
  const { status, body } = await browser.post('/users/me/totp/confirm', { code: authenticatorApp.code() });
  if (status !== 200) throw new Error(`the confirmation answered ${status}`);
  await forgetSteps(app, id);
  return { app: authenticatorApp, recoveryCodes: body.recovery_codes };
}

/** A browser in which an account has logged in up to the second step. */
export async function pendingLogin(
  app: TestApp,
  { email }: Pick<AppOwner, 'email'>,
  headers?: Record<string, string>,
): Promise<Browser> {
  const browser = app.browser(headers);
  const { status } = await browser.post('/auth/login', { email, password: PASSWORD });
  if (status !== 202) throw new Error(`login answered ${status}`);
  return browser;
}

/** A browser in which the owner of an app has logged in, both steps of it. */
export async function loggedInWithCode(app: TestApp, owner: Pick<AppOwner, 'id' | 'email' | 'app'>) {
  const browser = await pendingLogin(app, owner);
  await forgetSteps(app, owner.id);
  const { status } = await browser.post(SECOND_FACTOR, { totp: owner.app.code() });
  if (status !== 200) throw new Error(`the second step answered ${status}`);
  await forgetSteps(app, owner.id);
  return browser;
}

/** Where the code of a pending login goes. */
export const SECOND_FACTOR = '/auth/pending-login/second-factor';

/**
 * Does something within one time step, for what depends on which one it is: again if another began meanwhile, so that
 * it must leave things as they were.
 */
export async function withinAStep<Result>(work: () => Promise<Result>): Promise<Result> {
  const step = () => Math.floor(Date.now() / 1000 / STEP_SECONDS);
  const before = step();
  const [outcome] = await Promise.allSettled([work()]);
  if (step() !== before) return withinAStep(work);
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

/** Lets eleven minutes pass since the user of a session proved who they are. */
export async function ageProof(app: TestApp, { jar }: Browser): Promise<void> {
  await app.database.rows(
    `UPDATE sessions SET authenticated_at = authenticated_at - interval '11 minutes' WHERE token_hash = sha256($1::bytea)`,
    [jar.get('session_id')],
  );
}

/** Lets time pass since the last code, so that the one of the present step can be used again. */
export async function forgetSteps(app: TestApp, userId: string): Promise<void> {
  await app.database.rows('UPDATE totp_factors SET last_step = 0 WHERE user_id = $1', [userId]);
}

/** Makes the secret of an app one that no secret of the settings opens. */
export async function loseKey(app: TestApp, userId: string): Promise<void> {
  await app.database.rows('UPDATE totp_factors SET secret = sha256(secret) || secret WHERE user_id = $1', [
    userId,
  ]);
}

/** The answer to a code of such an app. */
export const UNREADABLE = { status: 503, body: { code: 'CodesUnavailable' } };

function decoded(base32: string): Buffer {
  const bits = [...base32]
    .map((character) => BASE32.indexOf(character).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
}
