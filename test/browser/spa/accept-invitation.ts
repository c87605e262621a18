import { api } from './api.js';
import { onSubmit } from './form.js';
import { go, goToLogin } from './navigation.js';
import { offerProviders } from './providers.js';
import { fill, find, type Page, roleInWords } from './view.js';

/** Where the link of an invitation leads. A user with an account accepts with it, and logs in first if need be. */
export const acceptInvitation: Page = async (view, query) => {
  const token = query.get('token') ?? '';
  const { org_name, email, role, account_exists } = await api('post', '/invitations/preview', {
    body: { token },
  });

  fill(view, { org_name, email, role: roleInWords(role) });
  find(view, 'section').hidden = false;
  find(view, account_exists ? '#join-as-self' : '#join').hidden = false;

  onSubmit(find(view, '#join'), async ({ name, password }) => {
    await api('post', '/invitations/accept', { body: { token, password, ...(name && { name }) } });
    go('/login', `You belong to ${org_name} now. Log in to begin.`);
  });
  onSubmit(find(view, '#join-as-self'), async () => {
    await api('post', '/invitations/accept', { body: { token } });
    go('/organization', `You belong to ${org_name} now.`);
  });
  onSubmit(find(view, '#other-account'), async () => {
    await api('post', '/auth/logout');
    goToLogin();
  });
  onSubmit(find(view, '#decline'), async () => {
    await api('post', '/invitations/decline', { body: { token } });
    go('/login', `You have declined to join ${org_name}.`);
  });

  const { providers } = await api('get', '/auth/methods');
  const flow = { return_to: '/organization', invitation_token: token };
  offerProviders(find(view, '#join-through-provider'), providers, 'Join through', flow);
};
