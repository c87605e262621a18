import { Submit } from './button.js';
import { addressOf, base } from './facts.js';
import { Form, leaveFor } from './form.js';
import { say, Word } from './say.js';
import { latchkey } from './service.js';

interface Named {
  id: string;
  title: string;
}

/** A button for each identity provider that the service names, which leads there. */
export function Providers({
  providers,
  way,
  flow,
}: {
  providers: Named[];
  /** What the user does there. */
  way: 'continue' | 'signup' | 'join';
  flow: { return_to: string; invitation_token?: string };
}) {
  if (providers.length === 0) return null;
  return (
    <Form
      act={async ({ provider = '' }) => {
        const { authorization_url } = await latchkey.authorizeUrl({
          provider,
          via: 'ui',
          ...flow,
          return_to: pathBelowUi(flow.return_to),
        });
        await leaveFor(authorization_url);
      }}
    >
      {providers.map(({ id, title }) => (
        <Submit key={id} weight="plain" name="provider" value={id}>
          {say(Word['parts.provider'], { way, provider: title })}
        </Submit>
      ))}
    </Form>
  );
}

/** Where a flow leads back to, below the path of the pages and in their language, as the service takes it. */
export function pathBelowUi(path: string): string {
  return addressOf(`ui${path}`).slice(`${base.href}ui`.length);
}

/** What users call the provider of an identity. One that the settings no longer name is called by its host. */
export function titleOf(
  { provider, issuer }: { provider: string | null; issuer: string },
  providers: Named[],
): string {
  const named = providers.find(({ id }) => id === provider);
  return named?.title ?? (URL.canParse(issuer) ? new URL(issuer).hostname : issuer);
}
