import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { TestApp } from '../support/test-app.js';
import { startChromium } from './chromium.js';
import { ErrorLines, takePageFaults } from './error-lines.js';
import { HttpsFront } from './https-front.js';
import { type User, Visitor } from './visitor.js';

/** The service with its pages, and Chromium in front of it. */
export class Stage {
  private constructor(
    readonly app: TestApp,
    private readonly chromium: Browser,
    private readonly front: Pick<Server, 'close' | 'closeAllConnections'>,
    /** Where the pages are. */
    readonly home: string,
  ) {}

  /** As on the machine of a developer. Empty pages are to be had at other origins, of which 5173 is the application's. */
  static async inDev(variables: Record<string, string> = {}): Promise<Stage> {
    const app = await TestApp.start({ SVC_BASE_WEB_URL: 'http://localhost:3000/ui', ...variables });
    const elsewhere = createServer((_, response) => response.end('<!doctype html><title>Elsewhere</title>'));
    const port = await portOf(elsewhere);
    const chromium = await startChromium({
      'localhost:3000': await app.listen(),
      'localhost:5173': port,
      'localhost:8080': port,
      'elsewhere.test:80': port,
    });
    return new Stage(app, chromium, elsewhere, 'http://localhost:3000/ui');
  }

  /** As deployed: over HTTPS behind a proxy, with the rules of `prod`. */
  static async inProd(variables: Record<string, string>): Promise<Stage> {
    const app = await TestApp.start({
      SVC_ENVIRONMENT: 'prod',
      SVC_BASE_WEB_URL: 'https://api.latchkey.test/ui',
      SVC_BASE_API_URL: 'https://api.latchkey.test',
      SVC_TRUSTED_PROXIES: '127.0.0.1',
      SVC_SESSION_COOKIE_NAME: '__Host-session',
      SVC_BCRYPT_COST: '10',
      SVC_JWT_SECRET_KEY: randomBytes(32).toString('base64'),
      ...variables,
    });
    const front = await HttpsFront.create(await app.listen());
    const port = await portOf(front.server);
    const chromium = await startChromium({ '*.latchkey.test:443': port }, [front.chromiumFlag]);
    return new Stage(app, chromium, front.server, 'https://api.latchkey.test/ui');
  }

  /** A visitor with a browser of their own. Unless they want motion, pages follow each other without a cross-fade. */
  async visitor(user: User = {}, options: Parameters<Browser['newContext']>[0] = {}): Promise<Visitor> {
    const context = await this.chromium.newContext({ reducedMotion: 'reduce', ...options });
    const lines = new ErrorLines(context, new URL(this.home).origin);
    return Visitor.openIn(context, this.home, lines, user);
  }

  /** Ends everything, and fails when a page had an error after the last story. */
  async stop(): Promise<void> {
    await this.chromium.close();
    this.front.closeAllConnections();
    await new Promise((resolve) => this.front.close(resolve));
    await this.app.close();
    const faults = takePageFaults();
    if (faults.length > 0) throw new Error(`The pages have faults: ${faults.join('; ')}`);
  }
}

async function portOf(server: Pick<Server, 'listen' | 'address'>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
