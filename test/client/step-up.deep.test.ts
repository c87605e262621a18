import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Latchkey, StepUp } from '../../src/client/latchkey.js';
import { loggedIn, PASSWORD } from '../support/accounts.js';
import { ageProof } from '../support/authenticator-app.js';
import { TestApp } from '../support/test-app.js';
import { Gate } from '../support/until.js';
import { CookieJar } from './cookie-jar.js';

let app: TestApp;
let url: string;
beforeAll(async () => {
  app = await TestApp.start();
  url = `http://127.0.0.1:${await app.listen()}`;
});
afterAll(() => app.close());

const MANY = 100;

/** The page of a user who proved more than ten minutes ago who they are, and what asks them again. */
async function page(answer?: (page: Latchkey) => ReturnType<StepUp>, fetch?: typeof globalThis.fetch) {
  const browser = await loggedIn(app);
  await ageProof(app, browser);
  const jar = new CookieJar(browser);
  const asked = jest.fn((_: Parameters<StepUp>[0]) => answer?.(latchkey) ?? false);
  const stepUp = answer && asked;
  const latchkey: Latchkey = jar.tab(url, { stepUp, fetch: fetch ?? jar.fetch });
  return { latchkey, asked, jar };
}

const prove = async (latchkey: Latchkey) => Boolean(await latchkey.stepUp({ password: PASSWORD }));

const begin = (latchkey: Latchkey) => latchkey.beginPasskey();

const refused = expect.objectContaining({ code: 'StepUpRequired', methods: ['password'] });

describe('an operation that needs a recent proof', () => {
  it('throws StepUpRequired where no page asks for one', async () => {
    const { latchkey } = await page();

    await expect(begin(latchkey)).rejects.toEqual(refused);
  });

  it(`is sent again once the user has given it, who is asked once for ${MANY} operations`, async () => {
    const { latchkey, asked } = await page(prove);

    const answers = await Promise.all(Array.from({ length: MANY }, () => begin(latchkey)));

    expect(answers).toHaveLength(MANY);
    expect(asked.mock.calls).toEqual([[refused]]);
  });

  it('fails when the user does not give it, who is asked once', async () => {
    const { latchkey, asked } = await page(() => false);

    const answers = await Promise.allSettled(Array.from({ length: MANY }, () => begin(latchkey)));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['rejected']));
    await expect(begin(latchkey)).rejects.toEqual(refused);
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it.each([true, false])(
    'follows what the user has answered (%s) before its refusal arrives',
    async (isProven) => {
      const [refusal, late] = [new Gate(), new Gate()];
      const { latchkey, asked, jar } = await page(
        (its) => isProven && prove(its),
        async (address, init) => {
          const response = await jar.fetch(address, init);
          if (String(address).endsWith('/totp') && response.status === 403) {
            refusal.open();
            await late.opened;
          }
          return response;
        },
      );
      const waiting = latchkey.beginTotp().then(
        () => true,
        () => false,
      );
      await refusal.opened;

      expect(
        await begin(latchkey).then(
          () => true,
          () => false,
        ),
      ).toBe(isProven);
      late.open();

      expect(await waiting).toBe(isProven);
      expect(asked).toHaveBeenCalledTimes(1);
    },
  );

  it('lets the page know when another proof is asked for than the user has given', async () => {
    const byApp = (latchkey: Latchkey) => latchkey.stepUp({ totp: '123456' });
    const { latchkey } = await page((its) =>
      byApp(its).then(
        () => true,
        () => prove(its),
      ),
    );

    await expect(begin(latchkey)).resolves.toHaveProperty('options');
  });

  it('fails with what the page throws in place of an answer, and asks again the next time', async () => {
    const fault = new Error('The dialog could not be opened.');
    const { latchkey, asked } = await page(() => Promise.reject(fault));

    await expect(Promise.all([begin(latchkey), begin(latchkey)])).rejects.toBe(fault);
    await expect(begin(latchkey)).rejects.toBe(fault);
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it('is refused once and for all when the answer was not true', async () => {
    const { latchkey, asked } = await page(() => true);

    await expect(begin(latchkey)).rejects.toEqual(refused);
    expect(asked).toHaveBeenCalledTimes(1);
  });
});
