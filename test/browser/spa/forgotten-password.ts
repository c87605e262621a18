import { api } from './api.js';
import { onSubmit } from './form.js';
import { go, say } from './navigation.js';
import { find, type Page } from './view.js';

export const forgotPassword: Page = (view) => {
  onSubmit(find(view, 'form'), async ({ email = '' }) => {
    await api('post', '/password/forgot', { body: { email } });
    say(`If ${email} has an account, a link is on its way.`);
  });
};

export const resetPassword: Page = (view, query) => {
  onSubmit(find(view, 'form'), async ({ new_password = '' }) => {
    await api('post', '/password/reset', { body: { token: query.get('token') ?? '', new_password } });
    go('/login', 'Your new password is set. Log in with it.');
  });
};
