import { api } from './api';
import { onSubmit } from './form';
import { go, say } from './navigation';
import { find, type Page } from './view';

export const signup: Page = (view) => {
  const form = find<HTMLFormElement>(view, 'form');
  onSubmit(form, async ({ email = '', password = '', name, org_name }) => {
    const account = { email, password, ...(name && { name }) };
    if (org_name) await api('post', '/auth/signup-org', { body: { ...account, org_name } });
    else await api('post', '/auth/signup', { body: account });
    form.reset();
    say(`We have sent a link to ${email}. Open it to go on.`);
  });
};

/** Where the mailed link leads. It takes a click, for a mail scanner may open the link and run its scripts. */
export const verifyEmail: Page = (view, query) => {
  onSubmit(find(view, 'form'), async () => {
    await api('post', '/auth/verify-email', { body: { token: query.get('token') ?? '' } });
    go('/login', 'Your address is confirmed. You can log in now.');
  });
};

export const secureAccount: Page = (view, query) => {
  onSubmit(find(view, 'form'), async () => {
    await api('post', '/auth/secure-account', { body: { token: query.get('token') ?? '' } });
    go('/login', 'Your account is safe. If it has a password, a link to set a new one is on its way to you.');
  });
};
