import { type Browser, chromium } from 'playwright-core';

/** Parts of the window around a page, which took more time than the page: the list below the address bar, a spare process. */
const AROUND_PAGES = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess'];

/**
 * What Playwright turns off, named again because the last flag of a name is the one that counts: the browser would turn
 * addresses with http to https, and ask servers on the internet.
 */
const OFF_IN_TESTS = [
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'MediaRouter',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

/** Fewer processes, of which Chromium starts one for each page and site: an eighth of the processor time of the stories. */
const FEW_PROCESSES = ['--in-process-gpu', '--renderer-process-limit=2', '--disable-site-isolation-trials'];

/**
 * Starts Chromium, for which hosts such as `localhost:3000` are ports of this machine: every address is the one that
 * the service is configured with, whatever ports are free.
 */
export function startChromium(hosts: Record<string, number>, flags: string[] = []): Promise<Browser> {
  const rules = Object.entries(hosts).map(([host, port]) => `MAP ${host} 127.0.0.1:${port}`);
  const off = [...AROUND_PAGES, ...OFF_IN_TESTS];
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '',
    // Its sandbox does not work for root.
    chromiumSandbox: process.getuid?.() !== 0,
    // Users have this cache, which brings a whole page back, so the tests do.
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
    args: [
      `--host-resolver-rules=${rules.join(',')}`,
      `--disable-features=${off.join(',')}`,
      ...FEW_PROCESSES,
      ...flags,
    ],
  });
}
