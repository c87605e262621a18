import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AppOwner,
  addApp,
  appOwner,
  forgetSteps,
  pendingLogin,
  SECOND_FACTOR,
} from '../../support/authenticator-app.js';
import { TestApp } from '../../support/test-app.js';
import { digitsOf } from '../../support/typing.js';

let app: TestApp;
let owner: AppOwner;
beforeAll(async () => {
  app = await TestApp.start();
  owner = await appOwner(app);
});
afterAll(() => app.close());

async function complete(proof: object) {
  await forgetSteps(app, owner.id);
  return (await pendingLogin(app, owner)).post(SECOND_FACTOR, proof);
}

describe('a code of an authenticator app', () => {
  it.each([
    ['with Arabic-Indic digits', digitsOf('٠')],
    ['with Persian digits', digitsOf('۰')],
    ['with Devanagari digits', digitsOf('०')],
    ['with full-width digits', digitsOf('０')],
    ['with a blank in the middle', (code: string) => `${code.slice(0, 3)} ${code.slice(3)}`],
    ['with a full-width hyphen', (code: string) => `${code.slice(0, 3)}－${code.slice(3)}`],
    ['pasted with marks of direction and a line break', (code: string) => `\u200f${code}\u200e\n`],
  ])('is read %s', async (_, type) => {
    await forgetSteps(app, owner.id);
    const browser = await pendingLogin(app, owner);
    expect((await browser.post(SECOND_FACTOR, { totp: type(owner.app.code()) })).status).toBe(200);
  });

  it.each([
    ['five digits', '12345'],
    ['seven digits', '1234567'],
    ['letters', '12345a'],
    ['digits of a script that no keyboard here has', '᠐᠐᠐᠐᠐᠐'],
    ['more than a code with blanks is long', `${' '.repeat(64)}123456`],
    ['nothing but blanks', '      '],
  ])('is refused when it is %s', async (_, totp) => {
    expect(await complete({ totp })).toMatchObject({
      status: 400,
      body: { code: 'ValidationFailed', errors: [{ field: 'totp', reasons: [{ code: 'not_a_totp_code' }] }] },
    });
  });

  it('is read in every script too when the app is added', async () => {
    const { browser, id } = await appOwner(app);
    await app.database.rows('DELETE FROM totp_factors WHERE user_id = $1', [id]);
    const arabic = {
      ...browser,
      post: (path: string, body?: object) =>
        browser.post(path, body && 'code' in body ? { code: digitsOf('٠')(String(body.code)) } : body),
    } as typeof browser;
    expect((await addApp(app, { browser: arabic, id })).recoveryCodes).toHaveLength(10);
  });
});

describe('a recovery code', () => {
  it.each([
    ['in lower case without hyphens', (code: string) => code.toLowerCase().replaceAll('-', '')],
    ['with blanks for hyphens', (code: string) => code.replaceAll('-', ' ')],
    ['with look-alikes', (code: string) => code.replaceAll('0', 'o').replaceAll('1', 'l')],
    ['in full-width letters and Persian digits', (code: string) => wide(digitsOf('۰')(code))],
  ])('is read %s', async (_, type) => {
    const recovery_code = type(owner.recoveryCodes.pop() ?? '');
    expect((await complete({ recovery_code })).status).toBe(200);
  });
});

function wide(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));
}
