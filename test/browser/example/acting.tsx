import { useSession } from 'latchkey-client/react';
import { Form } from './form.js';

/** Says on every page, while an admin acts for the user, that they do. */
export function ActingBanner({ stop }: { stop(): Promise<unknown> }) {
  const session = useSession();
  if (session.status !== 'in' || !session.session.acting) return null;
  const { acting, expires_at } = session.session;
  const until = new Date(expires_at).toLocaleTimeString();
  return (
    <aside aria-label="Acting for a user">
      <p>
        You are acting for {session.user.email} until {until} at the latest.{' '}
        {acting.write ? 'You can make changes.' : 'You can only look.'}
      </p>
      <Form act="Stop acting" send={stop} />
    </aside>
  );
}
