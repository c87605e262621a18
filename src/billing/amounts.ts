/** Digits after the point in which Stripe counts a currency; two in any other (https://docs.stripe.com/currencies). */
const DECIMALS = new Map([
  ...[
    'bif',
    'clp',
    'djf',
    'gnf',
    'jpy',
    'kmf',
    'krw',
    'mga',
    'pyg',
    'rwf',
    'vnd',
    'vuv',
    'xaf',
    'xof',
    'xpf',
  ].map((currency) => [currency, 0] as const),
  ...['bhd', 'jod', 'kwd', 'omr', 'tnd'].map((currency) => [currency, 3] as const),
]);

/** Stripe names prices to a part of the smallest coin, in up to twelve digits. */
const MOST_DECIMALS = 12;

/** An amount of Stripe's, which counts the smallest coin, in units of its currency: `900` of `eur` is `9.00`. */
export function inUnits(smallest: number, currency: string): string {
  const decimals = DECIMALS.get(currency) ?? 2;
  const units = smallest / 10 ** decimals;
  const text = units.toFixed(decimals);
  return Number(text) === units ? text : units.toFixed(MOST_DECIMALS).replace(/0+$/, '');
}
