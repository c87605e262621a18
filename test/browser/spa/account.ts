import { api } from './api.js';
import { showFactors } from './factors.js';
import { onSubmit } from './form.js';
import { go, say } from './navigation.js';
import { fill, find, inWords, type Page, roleInWords } from './view.js';

export const account: Page = async (view) => {
  const { user, session } = await api('get', '/users/me');
  const { email, name, role } = user;
  fill(view, { email, name, role: roleInWords(role), until: inWords(session.expires_at) });
  find(view, '#changes').hidden = !user.has_password;
  await showFactors(find(view, '#factors'), email);

  const changeEmail = find<HTMLFormElement>(view, '#change-email');
  onSubmit(changeEmail, async ({ new_email = '', current_password = '' }) => {
    await api('post', '/users/me/email', { body: { new_email, current_password } });
    changeEmail.reset();
    say(`We have sent a link to ${new_email}. Open it to finish the change.`);
  });
  onSubmit(find(view, '#change-password'), async ({ current_password = '', new_password = '' }) => {
    await api('post', '/password/update', { body: { current_password, new_password } });
    go('/', 'Your new password is set, and every other browser is logged out.');
  });
  onSubmit(find(view, '#logout'), async () => {
    await api('post', '/auth/logout');
    go('/login', 'You are logged out.');
  });
};
