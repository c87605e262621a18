import { api } from './api.js';
import { onSubmit } from './form.js';
import { find, repeat } from './view.js';

interface Provider {
  id: string;
  title: string;
}

/** Shows a button for each identity provider that the service names, which leads there. */
export function offerProviders(
  form: HTMLFormElement,
  providers: Provider[],
  verb: string,
  query: { return_to: string; invitation_token?: string },
): void {
  repeat(form, providers, (row, { id, title }) => {
    const button = find<HTMLButtonElement>(row, 'button');
    button.name = 'provider';
    button.value = id;
    button.textContent = `${verb} ${title}`;
  });
  onSubmit(form, async ({ provider = '' }) => {
    const { authorization_url } = await api('get', '/auth/oauth/{provider}/authorize-url', {
      path: { provider },
      query,
    });
    location.assign(authorization_url);
  });
}
