import { loadavg } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Nasty, seedNasty } from '../support/nasty.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { CONSOLE } from './console.js';
import { inPage } from './looks.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

// LATCHKEY_PAINT=1 measures; on a machine that does nothing else, as the times are those of a processor.
const isMeasured = process.env.LATCHKEY_PAINT !== undefined;

/** A slow phone on a slow network (client-and-console.md, 7). */
const LINE = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
};
const PROCESSOR_SLOWER_BY = 4;
const MOST_MS = 1_500;
const ROUNDS = 3;

/** Files that a build has compressed. */
const FILE = /\.(js|css|svg|ico|png)(\?|$)/;

let stripe: StripeStandIn;
let stage: Stage;
let nasty: Nasty;
let system: Visitor;
let areAnswersCompressed = true;
beforeAll(async () => {
  if (!isMeasured) return;
  stripe = await StripeStandIn.start();
  stage = await Stage.inDev({ ...stripe.variables });
  nasty = await seedNasty(stage.app);
  stage.app.nest.getHttpServer().prependListener('request', ({ headers, url = '' }) => {
    if (!areAnswersCompressed && !FILE.test(url)) delete headers['accept-encoding'];
  });
  system = await stage.visitor();
  await system.logIn(nasty.system.email);
});
afterAll(async () => {
  if (!isMeasured) return;
  await stage.stop();
  await stripe.stop();
});

(isMeasured ? describe : describe.skip)('the largest paint of a screen, on a slow line', () => {
  it.each([
    '',
    '/organizations',
    '/users',
    '/activity',
    '/mail',
    '/billing',
    '/system',
    '/user',
    '/organization',
  ])(
    'of /admin%s comes in time, cold',
    async (path) => {
      const ids: Record<string, string> = { '/user': nasty.admin.id, '/organization': nasty.orgId };
      const address = `${CONSOLE}${path}${ids[path] ? `?id=${ids[path]}` : ''}`;
      const compressed = await medianOf(address, true);
      const plain = await medianOf(address, false);
      console.log(
        `/admin${path}: largest paint ${compressed.paintMs.toFixed(0)} ms, ${kB(compressed)}; without compression of the API ` +
          `${plain.paintMs.toFixed(0)} ms, ${kB(plain)}; ratio ${(compressed.paintMs / plain.paintMs).toFixed(2)}; ` +
          `first paint ${compressed.firstMs.toFixed(0)} ms; load ${loadavg()[0]?.toFixed(1)}`,
      );

      expect(compressed.paintMs).toBeLessThanOrEqual(MOST_MS);
    },
    120_000,
  );
});

interface Paint {
  paintMs: number;
  firstMs: number;
  bytes: number;
}

const kB = ({ bytes }: Paint) => `${(bytes / 1000).toFixed(0)} kB`;

async function medianOf(address: string, isCompressed: boolean): Promise<Paint> {
  areAnswersCompressed = isCompressed;
  const paints: Paint[] = [];
  for (let round = 0; round < ROUNDS; round++) paints.push(await paintOf(address));
  return paints.sort((a, b) => a.paintMs - b.paintMs)[Math.floor(ROUNDS / 2)] as Paint;
}

/** Opens an address with an empty cache, and waits until all that was asked for is shown. */
async function paintOf(address: string): Promise<Paint> {
  const { page } = await system.inNewTab();
  await page.setViewportSize({ width: 390, height: 800 });
  const debug = await page.context().newCDPSession(page);
  await debug.send('Network.enable');
  await debug.send('Network.clearBrowserCache');
  await debug.send('Network.emulateNetworkConditions', LINE);
  await debug.send('Emulation.setCPUThrottlingRate', { rate: PROCESSOR_SLOWER_BY });
  let bytes = 0;
  debug.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto(address);
  await inPage(
    page,
    `new Promise((resolve) => {
      const isShown = () => document.querySelector('main section, main .card') && !document.querySelector('.grey-rows');
      const timer = setInterval(() => { if (isShown()) { clearInterval(timer); setTimeout(resolve, 200); } }, 20);
    })`,
  );
  const [paintMs, firstMs] = await inPage<[number, number]>(
    page,
    `new Promise((resolve) => new PerformanceObserver((list) =>
      resolve([list.getEntries().at(-1).startTime, performance.getEntriesByName('first-contentful-paint')[0].startTime]))
      .observe({ type: 'largest-contentful-paint', buffered: true }))`,
  );
  await page.close();
  return { paintMs, firstMs, bytes };
}
