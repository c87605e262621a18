import { addressOf } from '../parts/facts.js';
import { go } from '../parts/notice.js';
import { keepReturnTo, returnAddress } from '../parts/return-to.js';

/** Goes on after a login, or first to the second step if the service asks for one. */
export function goOn(login: object, message = ''): Promise<never> {
  if ('pending_login' in login) return go(`${addressOf('ui/second-step')}${keepReturnTo()}`);
  return go(returnAddress(), message);
}
