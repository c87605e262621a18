import { addressOf } from '../parts/facts.js';
import { forgetNextLogin } from '../parts/next-login.js';
import { go } from '../parts/notice.js';
import { keepReturnTo, pageOfService, returnAddress } from '../parts/return-to.js';

/**
 * Goes on after a login, or first to the second step if the service asks for one. `place` is a path such as `/admin`, where
 * it leads to another page than the address names.
 */
export function goOn(login: object, message = '', place = ''): Promise<never> {
  forgetNextLogin();
  if ('pending_login' in login)
    return go(addressOf(`ui/second-step${place ? keepReturnTo(place) : keepReturnTo()}`));
  return go(pageOfService(place) ?? returnAddress(), message);
}
