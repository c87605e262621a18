import { acceptInvitation } from './accept-invitation.js';
import { account } from './account.js';
import { onStepUpRequired } from './api.js';
import { billing } from './billing.js';
import { confirmEmail } from './confirm-email.js';
import { forgotPassword, resetPassword } from './forgotten-password.js';
import { attempt } from './form.js';
import { login } from './login.js';
import { say, takeParting } from './navigation.js';
import { organization } from './organization.js';
import { passkeys } from './passkeys.js';
import { secondStep } from './second-step.js';
import { sessions } from './sessions.js';
import { secureAccount, signup, verifyEmail } from './signup.js';
import { stepUp } from './step-up.js';
import { find, focusOn, type Page } from './view.js';

/** What the pages do; how they look is in index.html. */
const PAGES: Record<string, Page> = {
  '/': account,
  '/signup': signup,
  '/verify-email': verifyEmail,
  '/confirm-email': confirmEmail,
  '/secure-account': secureAccount,
  '/login': login,
  '/second-step': secondStep,
  '/forgot-password': forgotPassword,
  '/reset-password': resetPassword,
  '/accept-invitation': acceptInvitation,
  '/passkeys': passkeys,
  '/sessions': sessions,
  '/organization': organization,
  '/billing': billing,
};

const main = find(document, 'main');

let leaving = new AbortController();

/** Shows the page that the address names, once it has its data. */
async function show(): Promise<void> {
  const { href, pathname, search } = location;
  const id = pathname in PAGES ? pathname : 'not-found';
  const template = find<HTMLTemplateElement>(document, `template[id="${id}"]`);
  const view = template.content.cloneNode(true) as DocumentFragment;
  const message = takeParting();

  leave();
  const { signal } = leaving;
  say('');
  await attempt(() => PAGES[id]?.(view, new URLSearchParams(search), signal), view);
  // The user has gone on meanwhile, or was sent to log in.
  if (location.href !== href) return;

  if (message) say(message);
  main.replaceChildren(view);
  const heading = find(main, 'h1');
  document.title = `${heading.textContent} – Example`;
  markPlace(pathname, 'session' in template.dataset);
  focusOn(heading);
  main.querySelector<HTMLElement>('[data-first]')?.focus();
}

/** Ends what waits on the page at hand. */
function leave(): void {
  leaving.abort();
  leaving = new AbortController();
  document.querySelector('dialog')?.close();
}

function markPlace(pathname: string, isOfSession: boolean): void {
  const nav = find(document, 'nav');
  nav.hidden = !isOfSession;
  for (const link of nav.querySelectorAll('a')) link.ariaCurrent = link.pathname === pathname ? 'page' : null;
}

// A browser without the Navigation API loads each page anew, which works as well.
window.navigation?.addEventListener('navigate', (event) => {
  if (!event.canIntercept || event.hashChange || event.navigationType === 'reload') return;
  event.intercept({ handler: show, focusReset: 'manual' });
});

// The browser may keep the page and bring it back after a logout: what was shown must not be in it then.
addEventListener('pagehide', () => {
  leave();
  main.replaceChildren();
});
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) show();
});

onStepUpRequired(stepUp);
show();
