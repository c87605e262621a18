import { type Browser, chromium } from 'playwright-core';

/**
 * Starts Chromium, for which hosts such as `localhost:3000` are ports of this machine: every address is the one that
 * the service is configured with, whatever ports are free.
 */
export function startChromium(hosts: Record<string, number>, flags: string[] = []): Promise<Browser> {
  const rules = Object.entries(hosts).map(([host, port]) => `MAP ${host} 127.0.0.1:${port}`);
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '',
    // Its sandbox does not work for root.
    chromiumSandbox: process.getuid?.() !== 0,
    // Users have this cache, which brings a whole page back, so the tests do.
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
    args: [`--host-resolver-rules=${rules.join(',')}`, ...flags],
  });
}
