import { Submit } from './button.js';
import { Form, leaveFor } from './form.js';
import { latchkey } from './service.js';

/** A button for each identity provider that the service names, which leads there. */
export function Providers({
  providers,
  verb,
  flow,
}: {
  providers: { id: string; title: string }[];
  verb: string;
  flow: { return_to: string; invitation_token?: string };
}) {
  if (providers.length === 0) return null;
  return (
    <Form
      act={async ({ provider = '' }) => {
        const { authorization_url } = await latchkey.authorizeUrl({ provider, via: 'ui', ...flow });
        await leaveFor(authorization_url);
      }}
    >
      {providers.map(({ id, title }) => (
        <Submit key={id} weight="plain" name="provider" value={id}>
          {verb} {title}
        </Submit>
      ))}
    </Form>
  );
}
