/** A number with the noun it counts: `1 member`, `2 members`. A count that stops at `most` has a plus there. */
export function counted(number: number, noun: string, most = Number.POSITIVE_INFINITY): string {
  return `${figure(number, most)} ${noun}${number === 1 ? '' : 's'}`;
}

/** A number as the user's country writes it: `1,234`, or `10,000+` where the count stopped. */
export function figure(number: number, most = Number.POSITIVE_INFINITY): string {
  return `${number.toLocaleString()}${number < most ? '' : '+'}`;
}
