import { hasPasskeys } from '../../../client/passkeys.js';
import { Providers } from '../parts/providers.js';
import { keepReturnTo } from '../parts/return-to.js';
import { PasskeyLogin } from './passkey-login.js';

/** The ways in without a password that the service names. */
export function OtherWays({
  passkey,
  providers,
  verb,
}: {
  passkey: boolean;
  providers: { id: string; title: string }[];
  verb: string;
}) {
  const takesPasskeys = passkey && hasPasskeys();
  if (!takesPasskeys && providers.length === 0) return null;
  return (
    <>
      <p class="or">or</p>
      {takesPasskeys && <PasskeyLogin />}
      <Providers providers={providers} verb={verb} flow={{ return_to: `/login${keepReturnTo()}` }} />
    </>
  );
}
