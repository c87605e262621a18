/** A number with the noun it counts: `1 member`, `2 members`. */
export function counted(number: number, noun: string): string {
  return `${number.toLocaleString()} ${noun}${number === 1 ? '' : 's'}`;
}
