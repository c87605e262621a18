import { api } from './api.js';
import { onSubmit } from './form.js';
import { go } from './navigation.js';
import { knowsPasskeys, makePasskey, signalPasskeys } from './passkey.js';
import { fill, find, inWords, type Page, repeat } from './view.js';

export const passkeys: Page = async (view) => {
  const { user } = await api('get', '/users/me');
  const { data } = await api('get', '/users/me/passkeys');
  find(view, '#own').hidden = false;
  find(view, '#none').hidden = data.length > 0;
  find(view, knowsPasskeys ? '#add' : '#unable').hidden = false;

  repeat(find(view, '#passkeys'), data, (row, { id, name, backed_up, created_at, last_used_at }) => {
    fill(row, {
      name,
      synced: backed_up ? '(on several devices)' : '(on one device)',
      added: inWords(created_at),
      used: last_used_at ? `last used ${inWords(last_used_at)}` : 'not used yet',
    });
    // Each row has these, so screen readers read out which passkey is meant.
    for (const it of row.querySelectorAll('summary, button.quiet'))
      it.ariaLabel = `${it.textContent} ${name}`;
    const rename = find<HTMLFormElement>(row, '.rename');
    rename.id = `rename-${id}`;
    onSubmit(rename, async ({ name: other = '' }) => {
      await api('patch', '/users/me/passkeys/{id}', { path: { id }, body: { name: other } });
      go('/passkeys', `The passkey is called ${other} now.`);
    });
    onSubmit(find(row, '.delete'), async () => {
      await api('delete', '/users/me/passkeys/{id}', { path: { id } });
      go('/passkeys', `The passkey ${name} is deleted. It does not log you in any more.`);
    });
  });

  onSubmit(find(view, '#add'), async ({ name }) => {
    const { options } = await api('post', '/users/me/passkeys/options');
    const credential = await makePasskey(options);
    const { passkey } = await api('post', '/users/me/passkeys', {
      body: { credential, ...(name && { name }) },
    });
    go('/passkeys', `You can log in with the passkey ${passkey.name} now.`);
  });

  // Devices that cannot be told go on to offer what was deleted: the login page says then what to do.
  signalPasskeys(user, data).catch(() => {});
};
