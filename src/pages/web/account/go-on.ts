import { addressOf } from '../parts/facts.js';
import { forgetNextLogin } from '../parts/next-login.js';
import { go } from '../parts/notice.js';
import { allowed, keepReturnTo, returnAddress } from '../parts/return-to.js';

/**
 * Goes on after a login, or first to the second step if the service asks for one. `place` is where it
 * leads in place of what the address names: a path such as `/admin`, or an address of the application.
 */
export function goOn(login: object, message = '', place = ''): Promise<never> {
  forgetNextLogin();
  if ('pending_login' in login)
    return go(addressOf(`ui/second-step${place ? keepReturnTo(place) : keepReturnTo()}`));
  return go(allowed(place) ?? returnAddress(), message);
}
