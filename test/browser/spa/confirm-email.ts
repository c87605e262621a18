import { api } from './api.js';
import { onSubmit } from './form.js';
import { go, goToLogin } from './navigation.js';
import { fill, find, type Page } from './view.js';

/** Where the mail to a new address leads. It asks for a login first where there is no session. */
export const confirmEmail: Page = async (view, query) => {
  const { user } = await api('get', '/users/me');
  fill(view, { email: user.email });

  onSubmit(find(view, '#confirm form'), async () => {
    await api('post', '/users/me/email/confirm', { body: { token: query.get('token') ?? '' } });
    go('/', 'Your account has the new address.');
  });
  onSubmit(find(view, '#wrong-account form'), async () => {
    await api('post', '/auth/logout');
    goToLogin();
  });
};
