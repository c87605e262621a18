import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verified } from '../support/accounts.js';
import { WITH_EMAIL_CODES, wrong } from '../support/email-codes.js';
import { looksRight } from './looks.js';
import { Stage } from './stage.js';
import { age } from './virtual-authenticator.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.inDev(WITH_EMAIL_CODES);
});
afterAll(() => stage.stop());

describe('a user who has nothing but an address', () => {
  it.each([{ hasMouse: true }, { hasMouse: false }])(
    'proves who they are by a mailed code in the dialog, and goes on (%j)',
    async (how) => {
      const email = await verified(stage.app);
      const ada = await stage.visitor(how);
      await ada.logIn(email);
      await stage.app.database.rows(
        'UPDATE users SET password_hash = NULL, password_changed_at = NULL WHERE email = $1',
        [email],
      );
      await age(stage, email);
      await ada.open('/security');
      await ada.sees('This one');
      await ada.hasLoaded();

      ada.expectRefusal('403 /users/me/totp');
      await ada.press('Add an authenticator app');
      await ada.sees('Confirm that it is you');
      await ada.sees('We email you a code, which confirms that it is you.');
      if (how.hasMouse) await looksRight(ada, 'mailed-proof');
      await ada.press('Email me a code');
      await ada.sees('A code is on its way to');
      const code = await stage.app.mailbox.code(email);
      ada.expectRefusal('400 /auth/step-up');
      await ada.submit('Confirm', { 'Code from the email': wrong(code) });
      await ada.sees('This code is not correct, or no longer works. Ask for another one.');
      if (how.hasMouse) await looksRight(ada, 'mailed-proof-wrong');
      await ada.submit('Confirm', { 'Code from the email': code });

      await ada.sees('Add your account to the app');
      expect(await ada.text()).not.toContain('Confirm that it is you');
    },
  );
});
