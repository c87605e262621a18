import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import jwt from 'jsonwebtoken';
import type { Request, Response, Route } from 'playwright-core';
import { derivedKey } from '../../src/secrets/derived-key.js';
import { PASSWORD, verified } from '../support/accounts.js';
import { MailapiStandIn } from '../support/mailapi-stand-in.js';
import { Gate, until } from '../support/until.js';
import { readPseudo } from './pseudo-language.js';
import { Stage } from './stage.js';
import { age, passkeyOwner, VirtualAuthenticator } from './virtual-authenticator.js';
import type { Visitor } from './visitor.js';

const NINE_MINUTES_MS = 9 * 60 * 1000;
const NOT_ACCEPTED = 'We did not accept the passkey. If it took more than a few minutes, just try again.';

/** The next login goes out twice, as through a proxy that tries again, or once more by an attacker. */
const SEND_LOGIN_TWICE = `{
  const send = fetch;
  globalThis.fetch = async (url, request) => {
    if (!url.includes('/auth/passkey/login')) return send(url, request);
    globalThis.fetch = send;
    await send(url, request);
    return send(url, request);
  };
}`;

/** The page gets options that are too old, and then others. */
const EXPIRE_FIRST_OPTIONS = `{
  const send = fetch;
  globalThis.fetch = async (url, request) => {
    const answer = await send(url, request);
    if (!url.includes('/auth/passkey/options')) return answer;
    globalThis.fetch = send;
    return Response.json(await expired(await answer.json()));
  };
}`;

/** What the page asks passkeys. */
const RECORD_QUESTIONS = `{
  globalThis.questions = [];
  const { credentials } = navigator;
  const get = credentials.get.bind(credentials);
  credentials.get = (options) => {
    questions.push(options);
    return get(options);
  };
}`;

/** Notes whether a page of this tab said, at any time, that a login did not work. */
const NOTE_FAILURE = `new MutationObserver(() => {
  if (${readPseudo('That did not work')}.test(document.body?.innerText)) sessionStorage.setItem('said that it failed', 'yes');
}).observe(document, { subtree: true, childList: true, characterData: true })`;

let mailapi: MailapiStandIn;
let stage: Stage;
beforeAll(async () => {
  mailapi = await MailapiStandIn.start();
  stage = await Stage.inProd({ ...mailapi.variables, SVC_CRON_SCHEDULE: '0 3 * * *' });
});
afterAll(async () => {
  await stage.stop();
  await mailapi.close();
});

describe('in prod, a person', () => {
  it('keeps a new passkey where the page learns late how to tell the device of the ones before', async () => {
    const ada = await stage.visitor();
    const device = await VirtualAuthenticator.in(ada.page);
    await ada.logIn(await verified(stage.app));
    const added = new Gate();
    const late = async (route: Route) => {
      await added.opened;
      await route.continue();
    };
    await ada.page.route('**/auth/passkey/options', late, { times: 1 });
    await ada.follow('Security');
    await ada.press('Add a passkey');
    await ada.submit('Add it', { 'Name of the new passkey': 'My blue key' });
    await ada.sees('You can now log in with the passkey My blue key.');
    const answered = ada.page.waitForResponse('**/auth/passkey/options');
    added.open();
    await answered;
    await ada.follow('Account');
    await ada.sees('Your account');

    expect(await device.passkeys()).toHaveLength(1);
  });

  it('registers a passkey, logs in with one click, and deletes it after a step-up', async () => {
    const ada = await stage.visitor();
    ada.expectRefusal('400 /auth/passkey/login', '403 /users/me/passkeys/{id}');
    const email = await verified(stage.app);
    const device = await VirtualAuthenticator.in(ada.page);
    await ada.logIn(email);
    await ada.follow('Security');
    await ada.sees('You have no passkey yet.');
    await ada.press('Add a passkey');
    await ada.submit('Add it', { 'Name of the new passkey': 'My blue key' });
    await ada.sees('You can now log in with the passkey My blue key.');
    await ada.sees('On several devices');
    await ada.sees('not used yet');

    await ada.logOut();
    await ada.sees('You are logged out.');

    await ada.page.evaluate(SEND_LOGIN_TWICE);
    await ada.submit('Log in with a passkey');
    await ada.sees(NOT_ACCEPTED);
    await ada.submit('Log in with a passkey');
    await ada.sees(email);
    expect(ada.path).toBe('/ui/account');

    await ada.follow('Security');
    await ada.sees('last used');
    await age(stage, email);
    await ada.press('Delete My blue key');
    await ada.press('Delete it');
    await ada.sees('Confirm that it is you');
    await ada.submit('Confirm', { 'Your password': PASSWORD });
    await ada.sees('The passkey My blue key is deleted.');
    await ada.sees('You have no passkey yet.');
    await until(async () => (await device.passkeys()).length === 0);
  });
});

describe('the login page', () => {
  it('does not say that nothing was changed once a passkey has logged the user in', async () => {
    const { visitor } = await loggedOut();
    await visitor.page.addInitScript(NOTE_FAILURE);
    await visitor.open('/login?error=access_denied');
    await visitor.sees('The login was canceled.');
    await visitor.submit('Log in with a passkey');
    await visitor.sees('Your account');

    expect(await visitor.page.evaluate('sessionStorage.getItem("said that it failed")')).toBe(null);
  });

  it('lets the browser fill in a passkey without a click', async () => {
    const { visitor, email } = await passkeyOwner(stage, { fillsIn: true });
    await visitor.logOut();

    await visitor.arrivesAt('/ui/account');
    await visitor.sees(email);
    const sql = `SELECT array_agg(auth_method ORDER BY s.created_at) FROM sessions s JOIN users u ON u.id = user_id
                  WHERE email = $1`;
    expect(await stage.app.database.value(sql, [email])).toEqual(['password', 'passkey']);
  });

  it('says that the options were too old, and asks for fresh ones, so that the next click works', async () => {
    const { visitor, email } = await passkeyOwner(stage, { fillsIn: true });
    visitor.expectRefusal('400 /auth/passkey/login');
    await visitor.page.exposeFunction('expired', expired);
    await visitor.page.addInitScript(EXPIRE_FIRST_OPTIONS);
    await visitor.logOut();
    await visitor.sees(NOT_ACCEPTED);
    await visitor.submit('Log in with a passkey');
    await visitor.sees(email);
  });

  it('says that a passkey was removed, and the device no longer offers it', async () => {
    const { visitor, email, device } = await loggedOut();
    visitor.expectRefusal('400 /auth/passkey/login');
    const sql = 'DELETE FROM passkeys WHERE user_id = (SELECT id FROM users WHERE email = $1)';
    await stage.app.database.rows(sql, [email]);
    expect(await device.passkeys()).toHaveLength(1);

    await visitor.submit('Log in with a passkey');

    await visitor.sees('This passkey no longer opens an account.');
    await until(async () => (await device.passkeys()).length === 0);
  });

  it('takes it well that the user cancels, and another click works', async () => {
    const { visitor, email, device } = await loggedOut();
    await device.verifies(false);
    await visitor.submit('Log in with a passkey');
    await visitor.sees('You canceled, or it took too long. You can try again.');

    await device.verifies(true);
    await visitor.submit('Log in with a passkey');
    await visitor.sees(email);
  });

  it('says that the account is disabled', async () => {
    const { visitor, email } = await loggedOut();
    visitor.expectRefusal('403 /auth/passkey/login');
    await stage.app.database.rows('UPDATE users SET disabled_at = now() WHERE email = $1', [email]);

    await visitor.submit('Log in with a passkey');

    await visitor.sees('account is disabled');
  });

  it('asks for fresh options after nine minutes', async () => {
    const ada = await stage.visitor();
    await ada.page.clock.install();
    const isOptions = (sent: Request | Response) => sent.url().includes('/auth/passkey/options');
    await Promise.all([ada.page.waitForResponse(isOptions), ada.open('/login')]);
    await ada.sees('Log in with a passkey');

    const asked = ada.page.waitForRequest(isOptions);
    await ada.page.clock.fastForward(NINE_MINUTES_MS);

    expect((await asked).method()).toBe('POST');
  });

  it('ends the question in the field when the user clicks, and that of the button when the user leaves', async () => {
    const { visitor, device } = await passkeyOwner(stage, { fillsIn: true });
    await device.answers(false);
    await visitor.page.addInitScript(RECORD_QUESTIONS);
    await visitor.logOut();
    await visitor.sees('You are logged out.');
    await visitor.open('/login');
    await until(() => visitor.page.evaluate('questions[0]?.mediation === "conditional"'));
    await visitor.submit('Log in with a passkey');
    await until(() => visitor.page.evaluate('questions.length === 2'));
    expect(await visitor.page.evaluate('questions.map(({ signal }) => signal.aborted)')).toEqual([
      true,
      false,
    ]);

    await visitor.page.evaluate(
      `addEventListener('pagehide', () => localStorage.setItem('aborted', questions.map(({ signal }) => signal.aborted)))`,
    );
    await visitor.follow('Sign up');
    await visitor.sees('Already have an account?');

    expect(await visitor.page.evaluate(`localStorage.getItem('aborted')`)).toBe('true,true');
  });

  it('offers no passkey in a browser that knows none, where the password works as ever', async () => {
    const ada = await stage.visitor();
    await ada.page.addInitScript('delete PublicKeyCredential.parseRequestOptionsFromJSON');
    await ada.logIn(await verified(stage.app));
    await ada.follow('Security');
    await ada.sees('This browser is too old to add one.');
    await ada.logOut();
    await ada.sees('Forgot your password?');

    expect(await ada.text()).not.toContain('passkey');
  });
});

describe('the page of the passkeys', () => {
  it('gives a passkey another name', async () => {
    const { visitor } = await passkeyOwner(stage);
    await visitor.press('Rename My laptop');
    await visitor.submit('Save the name', { 'New name': 'The blue laptop' });

    await visitor.sees('The passkey is now called The blue laptop.');
    expect(await passkeysOn(visitor)).toEqual([expect.stringContaining('The blue laptop')]);
  });

  it('says that this device has a passkey already', async () => {
    const { visitor } = await passkeyOwner(stage);
    await visitor.press('Add a passkey');
    await visitor.press('Add it');

    await visitor.sees('This device already has a passkey for this account.');
    expect(await passkeysOn(visitor)).toHaveLength(1);
  });

  it('adds nothing when the user cancels', async () => {
    const ada = await stage.visitor();
    const device = await VirtualAuthenticator.in(ada.page);
    await ada.logIn(await verified(stage.app));
    await ada.follow('Security');
    await ada.sees('You have no passkey yet.');
    await device.verifies(false);
    await ada.press('Add a passkey');
    await ada.press('Add it');

    await ada.sees('You canceled, or it took too long.');
    await ada.sees('You have no passkey yet.');
  });
});

describe('a service at an address without a domain', () => {
  it('offers no passkeys on the pages, and users log in with the password', async () => {
    const withoutDomain = await Stage.inDev({ SVC_BASE_WEB_URL: 'http://127.0.0.1:3000/ui' });
    const ada = await withoutDomain.visitor();
    ada.expectRefusal('404 /users/me/passkeys');
    await ada.open('/login');
    await ada.sees('Forgot your password?');
    expect(await ada.text()).not.toContain('passkey');
    await ada.logIn(await verified(withoutDomain.app));
    await ada.follow('Security');
    await ada.sees('Logged in');

    // It is there until the service has said that there are none.
    await ada.find('heading', 'Passkeys').waitFor({ state: 'hidden' });
    await withoutDomain.stop();
  });
});

/** The login page, where a person with a passkey has logged out. */
async function loggedOut() {
  const owner = await passkeyOwner(stage);
  await owner.visitor.logOut();
  await owner.visitor.sees('You are logged out.');
  return owner;
}

function passkeysOn(visitor: Visitor): Promise<string[]> {
  return visitor.texts(visitor.find('region', 'Passkeys').getByRole('listitem'));
}

/** Options as if the service had made them more than ten minutes ago. */
function expired({ options }: { options: { challenge: string } }) {
  const nowSeconds = Math.floor(Date.now() / 1000);
  const claims = jwt.decode(Buffer.from(options.challenge, 'base64url').toString()) as jwt.JwtPayload;
  const key = Buffer.from(derivedKey(stage.app.environment.jwtSecretKey[0], 'passkey-login'));
  const state = jwt.sign({ ...claims, iat: nowSeconds - 601, exp: nowSeconds - 1 }, key);
  return { options: { ...options, challenge: Buffer.from(state).toString('base64url') } };
}
