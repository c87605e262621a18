import type { TestApp } from '../support/test-app.js';

export const TOKEN = 'the token of the scraper and of the tests';

/**
 * What a service answers to Prometheus: the value of each series, such as
 * `latchkey_logins_total{method="idp",outcome="success"}`.
 */
export async function scrape(app: TestApp): Promise<Map<string, number>> {
  const { status, text } = await app.browser({ authorization: `Bearer ${TOKEN}` }).get('/metrics');
  if (status !== 200) throw new Error(`/metrics answered ${status}`);

  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

/** By how much series grow while something happens. */
export async function growth(app: TestApp, work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await scrape(app);
  await work();
  const after = await scrape(app);
  const grown = [...after].map(([series, value]) => [series, value - (before.get(series) ?? 0)] as const);
  return Object.fromEntries(grown.filter(([series, by]) => series.startsWith('latchkey_') && by !== 0));
}
