import { api } from './api.js';
import { onSubmit } from './form.js';
import { go } from './navigation.js';
import { fill, find, type Page, repeat, roleInWords } from './view.js';

export const organization: Page = async (view) => {
  const { user } = await api('get', '/users/me');
  if (user.org_id === null) {
    find(view, '#none').hidden = false;
    return;
  }

  const path = { org_id: user.org_id };
  const { org } = await api('get', '/orgs/{org_id}', { path });
  fill(view, { name: org.name });
  await showMembers(view, path);
  if (user.role === 'org_admin') await showInvitations(view, path);
};

async function showMembers(view: DocumentFragment, path: { org_id: string }): Promise<void> {
  const { data } = await api('get', '/orgs/{org_id}/members', { path });
  find(view, '#members').hidden = false;
  repeat(find(view, '#members ul'), data, (row, { email, role }) =>
    fill(row, { email, role: roleInWords(role) }),
  );
}

async function showInvitations(view: DocumentFragment, path: { org_id: string }): Promise<void> {
  const { data } = await api('get', '/orgs/{org_id}/invitations', { path, query: { status: 'pending' } });
  find(view, '#invitations').hidden = false;
  repeat(find(view, '#invitations ul'), data, (row, { id, email, role }) => {
    fill(row, { email, role: roleInWords(role) });
    onSubmit(find(row, 'form'), async () => {
      await api('delete', '/orgs/{org_id}/invitations/{id}', { path: { ...path, id } });
      go('/organization', `${email} is not invited any more.`);
    });
  });

  onSubmit(find(view, '#invite'), async ({ email = '', role }) => {
    await api('post', '/orgs/{org_id}/invitations', { path, body: { email, role: role as 'member' } });
    go('/organization', `${email} is invited.`);
  });
}
