import { api, type Problem } from './api.js';
import { onSubmit } from './form.js';
import { go } from './navigation.js';
import { fill, find, type Page, repeat, roleInWords } from './view.js';

const NOT_RESET = 'This user has left the organization.';

export const organization: Page = async (view) => {
  const { user } = await api('get', '/users/me');
  if (user.org_id === null) {
    find(view, '#none').hidden = false;
    return;
  }

  const path = { org_id: user.org_id };
  const { org } = await api('get', '/orgs/{org_id}', { path });
  fill(view, { name: org.name });
  await showMembers(view, path, user);
  if (user.role !== 'org_admin') return;
  offerRequirement(find(view, '#security'), path, org.second_factor_required);
  await showInvitations(view, path);
};

async function showMembers(
  view: DocumentFragment,
  path: { org_id: string },
  caller: { id: string; role: string },
): Promise<void> {
  const { data } = await api('get', '/orgs/{org_id}/members', { path });
  // Where anyone may sign up, accounts are not the organization's: only an administrator of the service resets factors.
  const { signup } = await api('get', '/auth/methods');
  find(view, '#members').hidden = false;
  repeat(find(view, '#members ul'), data, (row, { id, email, role, has_factor }) => {
    const factor = has_factor ? 'Has a second factor' : 'Has no second factor';
    fill(row, { email, role: roleInWords(role), factor });
    const reset = find(row, '.reset');
    reset.hidden = signup || caller.role !== 'org_admin' || id === caller.id || !has_factor;
    // Each row has these, so screen readers read out which member is meant.
    for (const it of reset.querySelectorAll('summary, button'))
      it.ariaLabel = `${it.textContent} of ${email}`;
    onSubmit(find(reset, 'form'), async () => {
      const of = { path: { ...path, user_id: id } };
      await api('delete', '/orgs/{org_id}/members/{user_id}/factors', of).catch((problem: Problem) => {
        throw problem.code === 'NotFound' ? { ...problem, detail: NOT_RESET } : problem;
      });
      go('/organization', `${email} has no second factor any more, and is logged out everywhere.`);
    });
  });
}

function offerRequirement(section: HTMLElement, path: { org_id: string }, isRequired: boolean): void {
  section.hidden = false;
  find<HTMLInputElement>(section, '[name="second_factor_required"]').checked = isRequired;
  onSubmit(find(section, 'form'), async ({ second_factor_required: box }) => {
    const second_factor_required = box !== undefined;
    await api('patch', '/orgs/{org_id}', { path, body: { second_factor_required } });
    const message = second_factor_required
      ? 'Everybody must have a second factor now. Members without one set it up with their next login.'
      : 'Each member decides now whether to have a second factor.';
    go('/organization', message);
  });
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
