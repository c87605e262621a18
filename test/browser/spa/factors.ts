import { api } from './api.js';
import { setUpApp } from './authenticator-app.js';
import { onSubmit } from './form.js';
import { go } from './navigation.js';
import { showRecoveryCodes } from './recovery-codes.js';
import { fill, find, inWords } from './view.js';

const STATES = {
  off: 'It is off. With an authenticator app on your phone, such as Google Authenticator or 2FAS, a login also asks for a code that the app shows. A stolen password is then not enough to log in as you.',
  on: 'It is on. A login also asks for a code of your app, or for a passkey if you have one.',
  required:
    'It is on, and has to stay on: your organization or your role requires it. A login also asks for a code of your app, or for a passkey if you have one.',
};

/** Shows what the second step of the user's logins is, and lets them change it. */
export async function showFactors(section: HTMLElement, email: string): Promise<void> {
  const { factors } = await api('get', '/users/me/factors');
  const { totp, passkeys, recovery_codes_left, second_step } = factors;
  fill(section, {
    state: STATES[second_step],
    app: totp ? `Added ${inWords(totp.created_at)}` : 'None',
    passkeys: passkeys || 'None',
    codes: recovery_codes_left ? `${recovery_codes_left} left` : 'None left',
  });
  const isOn = second_step !== 'off';
  find(section, 'dl').hidden = !isOn;
  find(section, '#add-app').hidden = totp !== null;
  find(section, '#remove-app').hidden = totp === null;
  find(section, '#renew-codes').hidden = !isOn || (totp === null && passkeys === 0);

  onSubmit(find(section, '#add-app'), async () => {
    const secret = await api('post', '/users/me/totp');
    setUpApp(section, secret, '/', async (code) => {
      const { recovery_codes } = await api('post', '/users/me/totp/confirm', { body: { code } });
      const message = 'Your authenticator app is added, and every other browser is logged out.';
      showRecoveryCodes(section, email, recovery_codes, () => go('/', message));
    });
  });
  onSubmit(find(section, '#remove-app form'), async () => {
    await api('delete', '/users/me/totp');
    go('/', 'The authenticator app is removed. Its codes log you in no more.');
  });
  onSubmit(find(section, '#renew-codes'), async () => {
    const { recovery_codes } = await api('post', '/users/me/recovery-codes');
    showRecoveryCodes(section, email, recovery_codes, () =>
      go('/', 'You have ten new recovery codes. Those before work no more.'),
    );
  });
}
