import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CONSOLE, systemAdmin } from './console.js';
import { takePageFaults } from './error-lines.js';
import { looksRight } from './looks.js';
import { Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.inDev({ SVC_LOCALES: 'en,ar' });
});
afterAll(() => stage.stop());

/** A text whose isolates are elements in HTML. */
const plain = (text: string) => text.replace(/[\u2068\u2069]/g, '');

describe('the preview of mails in the console', () => {
  it('shows a kind in a language that is read from right to left, and sends it to its admin', async () => {
    const root = await systemAdmin(stage);
    const frame = root.page.frameLocator('.mail-preview iframe');
    await root.open(`${CONSOLE}/mail?ui_locales=en`);
    await root.press('Open the preview');
    await frame.getByRole('heading', { name: 'Confirm your email address' }).waitFor();
    expect(await frame.locator('html').getAttribute('dir')).toBe('ltr');

    await root.page.getByLabel('Kind').selectOption('invitation');
    await root.page.getByRole('main').getByLabel('Language').selectOption('ar');
    await frame.locator('html[lang=ar][dir=rtl]').waitFor();
    const subject = String(await root.page.locator('.mail-preview h3').textContent());
    expect(await frame.locator('h1').textContent()).toBe(plain(subject));
    expect(await root.page.locator('.mail-preview pre').innerText()).toContain('الشركة النموذجية');
    await root.tick('As on a phone');
    expect((await root.page.locator('.mail-preview iframe').boundingBox())?.width).toBe(320);
    await root.tick('As on a phone');
    await looksRight(root, 'mail-preview');

    await root.press('Send it to me');
    await root.sees(`A test email is on its way to ${root.email}.`);
    const sent = await stage.app.mailbox.last(root.email);
    expect(plain(sent.subject)).toBe(`اختبار: ${plain(subject)}`);
    await root.page.getByRole('row').filter({ hasText: root.email }).waitFor();
  });

  it('says that it could not be loaded, and loads at the next try', async () => {
    const root = await systemAdmin(stage);
    await root.open(`${CONSOLE}/mail`);
    await root.page.route('**/assets/mail-preview-*', (route) => route.abort());
    await root.press('Open the preview');
    await root.sees('The service cannot be reached.');
    expect(takePageFaults()).toEqual([expect.stringContaining('Failed to load resource')]);

    await root.page.unroute('**/assets/mail-preview-*');
    await root.press('Open the preview');
    await root.page.locator('.mail-preview iframe').waitFor();
  });

  it('runs nothing, be it in the frame or alone', async () => {
    const root = await systemAdmin(stage);
    await root.page.route('**/mails/preview.html*', async (route) => {
      const { pathname, search } = new URL(route.request().url());
      const cookie = await root.cookie();
      const own = stage.app.browser({ cookie: `${cookie?.name}=${cookie?.value}` });
      const { text, headers } = await own.get(pathname + search);
      const scripts = `<script>document.querySelector('h1').textContent = 'It ran'</script>
<img src="data:image/png,x" onerror="document.querySelector('h1').textContent = 'It ran'">`;
      await route.fulfill({
        headers: {
          'content-type': String(headers['content-type']),
          'content-security-policy': String(headers['content-security-policy']),
        },
        body: text.replace('</body>', `${scripts}</body>`),
      });
    });
    await root.open(`${CONSOLE}/mail`);
    await root.press('Open the preview');
    const frame = root.page.frameLocator('.mail-preview iframe');
    await frame.locator('img').waitFor({ state: 'attached' });
    expect(await frame.locator('h1').textContent()).toBe('Confirm your email address');

    await root.open('http://localhost:3000/mails/preview.html?kind=verification&language=en');
    await root.page.locator('img').waitFor({ state: 'attached' });
    expect(await root.page.locator('h1').textContent()).toBe('Confirm your email address');
    expect(takePageFaults().filter((fault) => /blocked script execution/i.test(fault))).not.toEqual([]);
  });
});
