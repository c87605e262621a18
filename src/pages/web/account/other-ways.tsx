import { hasPasskeys } from '../../../client/passkeys.js';
import { Providers } from '../parts/providers.js';
import { keepReturnTo } from '../parts/return-to.js';
import { say, Word } from '../parts/say.js';
import { PasskeyLogin } from './passkey-login.js';

/** The ways in without a password that the service names. */
export function OtherWays({
  passkey,
  providers,
  way,
}: {
  passkey: boolean;
  providers: { id: string; title: string }[];
  way: 'continue' | 'signup';
}) {
  const takesPasskeys = passkey && hasPasskeys();
  if (!takesPasskeys && providers.length === 0) return null;
  return (
    <>
      <p class="or">{say(Word['login.or'])}</p>
      {takesPasskeys && <PasskeyLogin />}
      <Providers providers={providers} way={way} flow={{ return_to: `/login${keepReturnTo()}` }} />
    </>
  );
}
