import { api } from './api.js';
import { onSubmit } from './form.js';
import { go } from './navigation.js';
import { fill, find, inWords, type Page, roleInWords } from './view.js';

export const account: Page = async (view) => {
  const { user, session } = await api('get', '/users/me');
  const { email, name, role } = user;
  fill(view, { email, name, role: roleInWords(role), until: inWords(session.expires_at) });

  onSubmit(find(view, '#logout'), async () => {
    await api('post', '/auth/logout');
    go('/login', 'You are logged out.');
  });
};
