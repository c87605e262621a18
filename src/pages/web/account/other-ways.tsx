import { hasPasskeys } from '../../../client/passkeys.js';
import { ButtonLink } from '../parts/button.js';
import { addressOf } from '../parts/facts.js';
import { Providers } from '../parts/providers.js';
import { keepReturnTo } from '../parts/return-to.js';
import { say, Word } from '../parts/say.js';
import { PasskeyLogin } from './passkey-login.js';

/** The ways in without a password that the service names. */
export function OtherWays({
  passkey,
  email_code: isCodeMailed,
  providers,
  way,
}: {
  passkey: boolean;
  email_code: boolean;
  providers: { id: string; title: string }[];
  way: 'continue' | 'signup';
}) {
  const takesPasskeys = passkey && hasPasskeys();
  const takesCodes = isCodeMailed && way === 'continue';
  if (!takesPasskeys && !takesCodes && providers.length === 0) return null;
  return (
    <>
      <p class="or">{say(Word['login.or'])}</p>
      {takesPasskeys && <PasskeyLogin />}
      {takesCodes && (
        <ButtonLink href={addressOf(`ui/login-code${keepReturnTo()}`)} weight="plain">
          {say(Word['login.emailCode'])}
        </ButtonLink>
      )}
      <Providers providers={providers} way={way} flow={{ return_to: `/login${keepReturnTo()}` }} />
    </>
  );
}
