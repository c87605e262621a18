import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD } from '../support/accounts.js';
import { Stage } from './stage.js';
import { age, passkeyOwner } from './virtual-authenticator.js';
import type { Visitor } from './visitor.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.inDev();
});
afterAll(() => stage.stop());

/** The page of the passkeys, whose user wants to delete one and is asked for a proof. */
async function asked() {
  const owner = await passkeyOwner(stage);
  owner.visitor.expectRefusal('403 /users/me/passkeys/{id}');
  await age(stage, owner.email);
  await owner.visitor.press('Delete My laptop');
  await owner.visitor.press('Delete it');
  await owner.visitor.sees('Confirm that it is you');
  return owner;
}

const withoutPassword = (email: string) =>
  stage.app.database.rows(
    'UPDATE users SET password_hash = NULL, password_changed_at = NULL WHERE email = $1',
    [email],
  );

const passkeysOf = (email: string): Promise<number> =>
  stage.app.database.value(
    'SELECT count(*)::int FROM passkeys WHERE user_id = (SELECT id FROM users WHERE email = $1)',
    [email],
  );

const focused = ({ page }: Visitor, selector: string) => page.locator(`${selector}:focus`).waitFor();

describe('the dialog before what is dangerous', () => {
  it('takes the password, tells a wrong one, and then does what the user wanted', async () => {
    const { visitor, email } = await asked();
    visitor.expectRefusal('400 /auth/step-up');
    await focused(visitor, 'dialog input[type="password"]');
    await visitor.submit('Confirm', { 'Your password': 'not the password' });
    await visitor.sees('This password is not correct.', visitor.find('dialog'));
    await focused(visitor, 'dialog input[type="password"]');
    expect(await passkeysOf(email)).toBe(1);

    await visitor.submit('Confirm', { 'Your password': PASSWORD });
    await visitor.sees('The passkey My laptop is deleted.');
    await visitor.sees('You have no passkey yet.');
    expect(await visitor.find('dialog').count()).toBe(0);
  });

  it('takes a passkey, and then does what the user wanted', async () => {
    const { visitor } = await asked();
    await visitor.submit('Use a passkey');

    await visitor.sees('The passkey My laptop is deleted.');
    await visitor.sees('You have no passkey yet.');
  });

  it.each<[string, (visitor: Visitor) => Promise<void>]>([
    ['a click', (visitor) => visitor.submit('Cancel')],
    ['Escape', (visitor) => visitor.page.keyboard.press('Escape')],
  ])('ends by %s, and says that nothing was changed', async (_, cancel) => {
    const { visitor, email } = await asked();
    await visitor.field('Your password').fill(PASSWORD);
    await cancel(visitor);

    await visitor.sees('Nothing has changed, because you did not confirm that it is you.');
    await focused(visitor, 'dialog [data-general]');
    expect(await visitor.find('dialog').count()).toBe(1);
    expect(await passkeysOf(email)).toBe(1);

    await visitor.press('Delete it');
    await visitor.sees('Confirm that it is you');
    expect(await visitor.field('Your password').inputValue()).toBe('');
  });

  it('stays when the user cancels the question for a passkey', async () => {
    const { visitor, device } = await asked();
    await device.verifies(false);
    await visitor.submit('Use a passkey');
    await visitor.sees('You canceled, or it took too long.', visitor.find('dialog'));

    await device.verifies(true);
    await visitor.submit('Use a passkey');
    await visitor.sees('The passkey My laptop is deleted.');
  });

  it('asks for no password where the account has none', async () => {
    const owner = await passkeyOwner(stage);
    owner.visitor.expectRefusal('403 /users/me/passkeys/options');
    await withoutPassword(owner.email);
    await age(stage, owner.email);
    await owner.visitor.press('Add a passkey');
    await owner.visitor.press('Add it');
    await owner.visitor.sees('Use a passkey');

    expect(await owner.visitor.field('Your password').isVisible()).toBe(false);
  });

  it('leads to the login, and back, where there is no other way', async () => {
    const { visitor, email } = await passkeyOwner(stage);
    visitor.expectRefusal('403 /users/me/passkeys/options');
    await withoutPassword(email);
    await stage.app.database.rows("UPDATE passkeys SET rp_id = 'former.example'");
    await age(stage, email);
    await visitor.press('Add a passkey');
    await visitor.press('Add it');
    await visitor.sees('Please log in again. You will come back to this page.');
    await visitor.submit('Log in again');

    await visitor.sees('Please log in.');
    expect(visitor.path).toBe('/ui/login?return_to=%2Fui%2Fsecurity');
  });

  it('leads to the login when another tab has logged out meanwhile', async () => {
    const { visitor } = await asked();
    const other = await visitor.inNewTab();
    await other.open('/account');
    await other.logOut();
    await other.sees('You are logged out.');
    await visitor.sees('Please log in.');
    expect(await visitor.find('dialog').count()).toBe(0);
  });

  it('closes when the user goes back to the page before', async () => {
    const { visitor, email } = await asked();
    await visitor.page.goBack();

    await visitor.sees('Your account');
    expect(await visitor.find('dialog').count()).toBe(0);
    expect(await passkeysOf(email)).toBe(1);
  });
});

describe('the copy of one’s own data', () => {
  it('is saved as a file once the user has proved who they are', async () => {
    const { visitor, email } = await passkeyOwner(stage);
    visitor.expectRefusal('403 /users/me/export');
    await visitor.open('/account');
    await visitor.sees('Your data');
    await age(stage, email);
    const downloaded = visitor.page.waitForEvent('download');
    await visitor.submit('Download a copy of your data');
    await visitor.submit('Confirm', { 'Your password': PASSWORD });

    const file = await downloaded;
    expect(file.suggestedFilename()).toBe('account.json');
    const copy = JSON.parse(await readFile(await file.path(), 'utf8'));
    expect(copy).toMatchObject({ user: { email }, passkeys: [{ name: 'My laptop' }] });
    await visitor.sees('Your copy was downloaded.');
  });
});
