import { NUMBERS } from './locale.js';

/** A number as the user's country writes it: `1,234`, or `10,000+` where the count stopped. */
export function figure(number: number, most = Number.POSITIVE_INFINITY): string {
  return `${NUMBERS.format(number)}${number < most ? '' : '+'}`;
}
