import { api } from './api';
import { onSubmit } from './form';
import { go } from './navigation';
import { fill, find, inWords, type Page } from './view';

export const account: Page = async (view) => {
  const { user, session } = await api('get', '/users/me');
  const { email, name, role } = user;
  fill(view, { email, name, role, until: inWords(session.expires_at) });

  onSubmit(find(view, 'form'), async () => {
    await api('post', '/auth/logout');
    go('/login', 'You are logged out.');
  });
};
