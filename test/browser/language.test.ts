import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, signedUp, verified } from '../support/accounts.js';
import { linkIn } from '../support/mails.js';
import { CONSOLE, orgAdmin, systemAdmin } from './console.js';
import { opensWithoutMoving, watchShifts } from './layout.js';
import { inPage, looksRight } from './looks.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.inDev({ SVC_LOCALES: 'en,en-XA' });
});
afterAll(() => stage.stop());

/** Somebody whose browser prefers a language. */
function visitor(locale: string): Promise<Visitor> {
  return stage.visitor({}, { locale });
}

function languageOf({ page }: Visitor): Promise<string> {
  return inPage(page, 'document.documentElement.lang');
}

/** Chooses a language of mails in the dialog that a button opens; the empty one is no preference. */
async function choosesForMails(ada: Visitor, address: string, button: string, language: string) {
  await ada.open(address);
  await ada.press(button);
  const dialog = ada.page.locator('dialog[open]');
  await dialog.locator('[name="locale"]').selectOption(language);
  await dialog.locator('[type="submit"]').click();
  await dialog.waitFor({ state: 'detached' });
}

async function choose({ page }: Visitor, language: string): Promise<void> {
  const loaded = page.waitForEvent('load');
  await page.getByRole('combobox', { name: /Language|Ļåñĝûåĝé/ }).selectOption(language);
  await loaded;
}

/** Notes each text that is put in the place of another one, from the first of the document. */
const WATCH_TEXTS = `
  globalThis.replaced = [];
  new MutationObserver((records) => {
    for (const { type, target, oldValue, removedNodes } of records) {
      if (type === 'characterData' && oldValue.trim()) globalThis.replaced.push(oldValue + ' became ' + target.data);
      for (const node of removedNodes)
        if (node.textContent.trim() && target.localName !== 'title' && !node.matches?.('.late, .grey-rows')) globalThis.replaced.push(node.textContent + ' went');
    }
  }).observe(document, { subtree: true, childList: true, characterData: true, characterDataOldValue: true });`;

describe('a page in the language of a browser', () => {
  it('is in it from its first paint: no text is replaced, and nothing moves', async () => {
    const ada = await visitor('en-XA');
    await watchShifts(ada.page.context());
    await ada.page.addInitScript(WATCH_TEXTS);

    await opensWithoutMoving(ada.page, `${stage.home}/login`, 390);

    await ada.sees('[Ļöĝ îñ');
    expect(await inPage(ada.page, 'globalThis.replaced')).toEqual([]);
  });

  it('comes once, and a second one is confirmed by 304', async () => {
    const ada = await visitor('en-XA');
    await ada.open('/login');
    await ada.page.getByRole('combobox').waitFor();
    // Chromium shows a page what it kept, and not the answer 304 itself: so the wire is asked.
    const session = await ada.page.context().newCDPSession(ada.page);
    const wire: number[] = [];
    session.on('Network.responseReceivedExtraInfo', ({ statusCode }) => wire.push(statusCode));
    await session.send('Network.enable');

    await ada.page.goto(`${stage.home}/login?error=access_denied`);
    await ada.page.goto(`${stage.home}/login`);
    await ada.page.getByRole('combobox').waitFor();

    expect(wire).toContain(304);
  });

  it('changes to the one that its visitor chooses, and the next pages are in it', async () => {
    const ada = await visitor('en-XA');
    await ada.open('/login');
    await ada.sees('[Ļöĝ îñ');
    await choose(ada, 'en');

    await ada.sees('No account yet?');
    expect(await languageOf(ada)).toBe('en');
    expect((await ada.cookie('session_id_language'))?.value).toBe('en');
    await ada.open('/signup');
    expect(await languageOf(ada)).toBe('en');
  });

  it('keeps what a mailed link brought, while another one is chosen', async () => {
    const ada = await visitor('en-XA');
    ada.expectRefusal('400 /auth/verify-email');
    const link = linkIn(await stage.app.mailbox.last(await signedUp(stage.app)));
    await ada.open(link);
    await ada.page.getByRole('combobox').waitFor();
    await choose(ada, 'en');
    await ada.submit('Confirm my address');

    await ada.sees('You signed up in another browser.');
  });

  it('says that it could not change, and stays as it is', async () => {
    const ada = await visitor('en');
    ada.expectRefusal('404 /ui/language');
    await ada.page.route('**/ui/language', (route) => route.fulfill({ status: 404, body: 'no' }));
    await ada.open('/login');
    const choice = ada.page.getByRole('combobox', { name: 'Language' });
    await choice.selectOption('en-XA');

    await ada.sees('The service cannot be reached. Check your connection, then try again.');
    expect(await choice.inputValue()).toBe('en');
    expect(await languageOf(ada)).toBe('en');
  });

  it('says while it waits that it is loading', async () => {
    const ada = await visitor('en');
    let goOn: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await ada.page.route('**/ui/language', async (route) => {
      await held;
      await route.continue();
    });
    await ada.open('/login');
    await ada.page.getByRole('combobox').selectOption('en-XA');

    await ada.page.getByRole('status').filter({ hasText: 'Loading' }).waitFor({ state: 'attached' });
    goOn();
    await ada.sees('[Ļöĝ îñ');
  });
});

describe('a language that a link asks for', () => {
  it('goes along to the other pages, and is not kept', async () => {
    const ada = await visitor('en');
    await ada.open('/login?ui_locales=en-XA&return_to=/ui/security');
    await ada.page.getByRole('combobox').waitFor();
    const links = await inPage<string[]>(
      ada.page,
      `[...document.querySelectorAll('main a')].map(({ href }) => href)`,
    );

    expect(links.length).toBeGreaterThan(1);
    for (const link of links) expect(link).toContain('ui_locales=en-XA');
    expect(await ada.cookie('session_id_language')).toBeUndefined();
    await ada.open('/login');
    expect(await languageOf(ada)).toBe('en');
  });

  it('goes with a login to where it leads, and through the navigation there', async () => {
    const email = await verified(stage.app);
    const ada = await stage.visitor({ language: 'en-XA' });
    await ada.open('/login?ui_locales=en-XA&return_to=/ui/security');
    await ada.submit('Log in', { Email: email, Password: 'correct horse battery staple' });
    await ada.arrivesAt('/ui/security?ui_locales=en-XA');
    await ada.hasLoaded();
    await ada.follow('Account');
    await ada.arrivesAt('/ui/account?ui_locales=en-XA');
  });

  it('gives way to the one that is chosen', async () => {
    const ada = await visitor('en');
    await ada.open('/login?ui_locales=en-XA&return_to=%2Fui%2Fsecurity%3Fui_locales%3Den-XA');
    await ada.page.getByRole('combobox').waitFor();
    await choose(ada, 'en');

    await ada.sees('No account yet?');
    expect(ada.path).toBe('/ui/login?return_to=%2Fui%2Fsecurity%3Fui_locales%3Den-XA');
    await ada.submit('Log in', {
      Email: await verified(stage.app),
      Password: 'correct horse battery staple',
    });
    await ada.arrivesAt('/ui/security');
    await ada.hasLoaded();
  });
});

describe('no preference', () => {
  it('may stay chosen in each form of the console that asks for a language', async () => {
    const root = await systemAdmin(stage);
    const [boss, ...others] = [freshAddress(), freshAddress(), freshAddress()];
    await root.open(`${CONSOLE}/organizations`);
    await root.press('Create organization');
    await root.submit('Create', { Name: 'Initech', 'Email of its admin': boss });
    await root.sees(`You have created Initech, and invited ${boss}.`);

    await root.press('Invite');
    await root.page.locator('dialog[open] [name="email"]').fill(others[0] ?? '');
    await root.submit('Invite');
    await root.sees(`${others[0]} is invited.`);
    await root.press('Invite many');
    await root.submit('Invite them', { 'Email addresses': others[1] ?? '' });
    await root.sees('All done.');
  });

  it('takes the place of a language that a person, or an organization, had chosen', async () => {
    const email = await orgAdmin(stage, 'Initech');
    const ada = await visitor('en');
    await ada.logIn(email);
    const locale = (query: string) => stage.app.database.value(query, [email]);
    const ofUser = 'SELECT locale FROM users WHERE email = $1';
    const ofOrg =
      'SELECT o.locale FROM organizations o JOIN memberships m ON m.org_id = o.id JOIN users u ON u.id = m.user_id WHERE u.email = $1';
    const forms = [
      ['/account', 'Change the language and time zone of emails to you', ofUser],
      [`${CONSOLE}/organization`, 'Change the language of emails to members', ofOrg],
    ] as const;

    for (const [address, button, query] of forms) {
      await choosesForMails(ada, address, button, 'en');
      expect(await locale(query)).toBe('en');
      await choosesForMails(ada, address, button, '');
      expect(await locale(query)).toBeNull();
    }
  });
});

describe('the choice', () => {
  it('looks right at the foot of a page, and in the console', async () => {
    const ada = await visitor('en');
    await ada.open('/login');
    await ada.page.getByRole('combobox').waitFor();
    await looksRight(ada, 'language-login');
    await ada.logIn(await verified(stage.app));
    await looksRight(ada, 'language-account');
    await ada.open(`${new URL(stage.home).origin}/admin`);
    await ada.sees('There is nothing for you to administer.');
    await looksRight(ada, 'language-console');
  });
});
