import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { TestApp } from '../support/test-app.js';
import { startChromium } from './chromium.js';
import { HttpsFront } from './https-front.js';
import { spa } from './spa.js';
import { Visitor } from './visitor.js';

/** The service, the SPA on another origin, and Chromium in front of both. */
export class Stage {
  private readonly faults: string[] = [];

  private constructor(
    readonly app: TestApp,
    private readonly chromium: Browser,
    private readonly pages: Pick<Server, 'close' | 'closeAllConnections'>,
    readonly home: string,
  ) {}

  /** As on the machine of a developer. The pages are also to be had at origins that the service does not know. */
  static async inDev(variables: Record<string, string> = {}): Promise<Stage> {
    const app = await TestApp.start(variables);
    const pages = createServer(await spa('http://localhost:3000'));
    const port = await portOf(pages);
    const chromium = await startChromium({
      'localhost:3000': await app.listen(),
      'localhost:5173': port,
      'localhost:8080': port,
      'elsewhere.test:80': port,
    });
    return new Stage(app, chromium, pages, 'http://localhost:5173');
  }

  /** As deployed: under two names of one site, over HTTPS, with the rules of `prod`. */
  static async inProd(variables: Record<string, string>): Promise<Stage> {
    const app = await TestApp.start({
      SVC_ENVIRONMENT: 'prod',
      SVC_BASE_WEB_URL: 'https://app.latchkey.test',
      SVC_BASE_API_URL: 'https://api.latchkey.test',
      SVC_TRUSTED_PROXIES: '127.0.0.1',
      SVC_SESSION_COOKIE_NAME: '__Host-session',
      SVC_BCRYPT_COST: '10',
      SVC_JWT_SECRET_KEY: randomBytes(32).toString('base64'),
      ...variables,
    });
    const front = await HttpsFront.create(await spa('https://api.latchkey.test'), await app.listen());
    const port = await portOf(front.server);
    const chromium = await startChromium({ '*.latchkey.test:443': port }, [front.chromiumFlag]);
    return new Stage(app, chromium, front.server, 'https://app.latchkey.test');
  }

  /** A visitor with a browser of their own. */
  async visitor(user = { hasMouse: true }): Promise<Visitor> {
    const context = await this.chromium.newContext();
    context.on('weberror', (fault) => this.faults.push(String(fault.error())));
    return Visitor.openIn(context, this.home, user);
  }

  /** Ends everything, and fails when a page threw an error that it did not catch. */
  async stop(): Promise<void> {
    await this.chromium.close();
    this.pages.closeAllConnections();
    await new Promise((resolve) => this.pages.close(resolve));
    await this.app.close();
    if (this.faults.length > 0) throw new Error(`The pages threw: ${this.faults.join('; ')}`);
  }
}

async function portOf(server: Pick<Server, 'listen' | 'address'>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
