import { api, type Problem } from './api.js';
import { setUpApp } from './authenticator-app.js';
import { offerWays, typed } from './codes.js';
import { onSubmit } from './form.js';
import { addressWithin } from './login.js';
import { go } from './navigation.js';
import { postSigned, signWithPasskey } from './passkey.js';
import { showRecoveryCodes } from './recovery-codes.js';
import { fill, find, type Page, timeInWords } from './view.js';

const LOGIN_OVER = 'This login took too long, or was finished in another tab. Please log in again.';

/** Where the user goes from here. */
interface Addresses {
  returnTo: string;
  loginAgain: string;
}

/**
 * Ends a login that lacks its second step. The page asks the service what is missing, so that it works after a reload,
 * and when the provider's login leads here.
 */
export const secondStep: Page = async (view, query, left) => {
  const { href: returnTo, pathname, search, hash } = addressWithin(query.get('return_to') ?? '/');
  const loginAgain = `/login?${new URLSearchParams({ return_to: pathname + search + hash })}`;
  const addresses = { returnTo, loginAgain };
  find<HTMLAnchorElement>(view, '#cancel a').href = loginAgain;
  await whilePending(addresses, async () => {
    const login = await pendingLogin();
    if (login === null) go(returnTo);
    else if (login.next === 'setup') offerSetUp(find(view, '#set-up'), view, login.expires_at, addresses);
    else offerSteps(find(view, '#step'), login.methods, addresses, left);
  });
};

/**
 * Returns null when the user has taken the step, and comes back: by a reload while the recovery codes were shown, say.
 */
async function pendingLogin() {
  try {
    return (await api('get', '/auth/pending-login')).pending_login;
  } catch (problem) {
    const isLoggedIn = await api('get', '/users/me').then(
      () => true,
      () => false,
    );
    if (isLoggedIn) return null;
    throw problem;
  }
}

function offerSteps(section: HTMLElement, methods: string[], addresses: Addresses, left: AbortSignal): void {
  section.hidden = false;
  find(section, '#unable').hidden = offerWays(section, methods);
  onSubmit(find(section, '#by-totp'), ({ totp }) => complete({ totp: typed(totp) }, addresses));
  onSubmit(find(section, '#by-recovery-code'), ({ recovery_code }) =>
    complete({ recovery_code: typed(recovery_code) }, addresses),
  );
  onSubmit(find(section, '#by-passkey'), async () => {
    const { options } = await api('post', '/auth/passkey/options');
    const credential = await signWithPasskey(options, { signal: left });
    await postSigned('/auth/passkey/login', options, credential);
    go(addresses.returnTo);
  });
}

function complete(body: { totp: string } | { recovery_code: string }, addresses: Addresses): Promise<void> {
  return whilePending(addresses, async () => {
    const { recovery_codes_left } = await api('post', '/auth/pending-login/second-factor', { body });
    go(addresses.returnTo, 'recovery_code' in body ? afterRecoveryCode(recovery_codes_left) : '');
  });
}

function afterRecoveryCode(left: number): string {
  const rest = left === 1 ? '1 recovery code is' : `${left} recovery codes are`;
  return `You are logged in. That code works no more; ${rest} left. You can make new ones on the page of your account.`;
}

function offerSetUp(section: HTMLElement, view: ParentNode, expiresAt: string, addresses: Addresses): void {
  section.hidden = false;
  fill(view, { title: 'Make your login safer', until: timeInWords(expiresAt) });
  onSubmit(find(section, 'form'), () =>
    whilePending(addresses, async () => {
      const secret = await api('post', '/auth/pending-login/totp');
      find(document, '#cancel').remove();
      setUpApp(section, secret, addresses.loginAgain, (code) => completeSetUp(section, code, addresses));
    }),
  );
}

function completeSetUp(section: HTMLElement, code: string, addresses: Addresses): Promise<void> {
  return whilePending(addresses, async () => {
    const answer = await api('post', '/auth/pending-login/totp/confirm', { body: { code } });
    const message = 'You are logged in. From now on, a login also asks for a code of your app.';
    showRecoveryCodes(section, answer.user.email, answer.recovery_codes, () =>
      go(addresses.returnTo, message),
    );
  });
}

/** Does what needs a pending login. A user whose login is over logs in again, and then comes to the same page. */
async function whilePending({ loginAgain }: Addresses, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (problem) {
    if ((problem as Problem).code !== 'Unauthenticated') throw problem;
    go(loginAgain, LOGIN_OVER);
  }
}
