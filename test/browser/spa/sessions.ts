import { api } from './api.js';
import { onSubmit } from './form.js';
import { go } from './navigation.js';
import { fill, find, inWords, type Page, repeat } from './view.js';

export const sessions: Page = async (view) => {
  const { data } = await api('get', '/sessions');

  repeat(find(view, '#sessions'), data, (row, { id, current, ip, user_agent, created_at }) => {
    const device = deviceOf(user_agent ?? '');
    fill(row, { device, ip, current: current ? '(this one)' : '', since: inWords(created_at) });
    const form = find<HTMLFormElement>(row, 'form');
    // One's own session ends on the page of the account.
    if (current) form.remove();
    onSubmit(form, async () => {
      await api('delete', '/sessions/{id}', { path: { id } });
      go('/sessions', 'That session has ended.');
    });
  });

  onSubmit(find(view, '#others'), async () => {
    const { revoked } = await api('delete', '/sessions');
    go('/sessions', `Sessions that have ended: ${revoked}.`);
  });
};

/** The system that a user agent names, which is as much as most users know of it. */
function deviceOf(userAgent: string): string {
  return /iPhone|iPad|Android|Windows|Macintosh|Linux/.exec(userAgent)?.[0] ?? 'Another program';
}
