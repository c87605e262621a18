import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Latchkey, Snapshot } from '../../src/client/latchkey.js';
import { freshAddress, loggedIn, PASSWORD, verified } from '../support/accounts.js';
import { foundOrg, invite } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';
import { Gate, until } from '../support/until.js';
import { CookieJar } from './cookie-jar.js';

/** Time for the page to handle an answer that has come. */
const HANDLED_MS = 50;

let app: TestApp;
let url: string;
beforeAll(async () => {
  app = await TestApp.start();
  url = `http://127.0.0.1:${await app.listen()}`;
});
afterAll(() => app.close());

const unsubscribers: (() => void)[] = [];
afterEach(() => {
  for (const unsubscribe of unsubscribers.splice(0)) unsubscribe();
});

/** Follows the session as a page does, and counts what it renders. */
function follow({ session }: Latchkey): { renders: Snapshot[] } {
  const renders: Snapshot[] = [];
  unsubscribers.push(session.subscribe(() => renders.push(session.getSnapshot())));
  return { renders };
}

const stateOf = ({ session }: Latchkey) => session.getSnapshot().status;

/** A page that shows the user of a browser. */
async function pageOf(browser: { jar: Map<string, string> }): Promise<{ jar: CookieJar; page: Latchkey }> {
  const jar = new CookieJar(browser);
  const page = jar.tab(url);
  follow(page);
  await until(() => stateOf(page) === 'in');
  return { jar, page };
}

describe('the session', () => {
  it('is not asked for before a page follows it, then is loading, and is out for a visitor', async () => {
    const latchkey = new CookieJar().tab(url);
    const before = app.log.length;
    expect(stateOf(latchkey)).toBe('loading');
    expect(app.log.length).toBe(before);

    const { renders } = follow(latchkey);

    await until(() => renders.length > 0);
    expect(renders).toEqual([{ status: 'out' }]);
  });

  it('is out, and not unreachable, for a visitor whose page asks for something else meanwhile', async () => {
    const { id, admin } = await foundOrg(app);
    const token = await invite(app, admin, id, freshAddress());
    const [previewed, said] = [new Gate(), new Gate()];
    const gates = [previewed, said];
    const jar = new CookieJar();
    const latchkey = jar.tab(url, {
      fetch: async (address, init) => {
        const gate = String(address).endsWith('/users/me') ? gates.shift() : undefined;
        const answer = await jar.fetch(address, init);
        await gate?.opened;
        return answer;
      },
    });
    const { renders } = follow(latchkey);

    await latchkey.previewInvitation({ token });
    previewed.open();
    await setTimeout(HANDLED_MS);
    said.open();

    await until(() => renders.length > 0);
    expect(renders).toEqual([{ status: 'out' }]);
  });

  it('is in once a login has answered, and out before a logout resolves', async () => {
    const latchkey = new CookieJar().tab(url);
    const { renders } = follow(latchkey);
    await until(() => stateOf(latchkey) === 'out');

    const { user, session, organizations } = (await latchkey.login({
      email: await verified(app),
      password: PASSWORD,
    })) as unknown as Extract<Snapshot, { status: 'in' }>;
    expect(latchkey.session.getSnapshot()).toEqual({ status: 'in', user, session, organizations });
    await latchkey.logout();
    expect(latchkey.session.getSnapshot()).toEqual({ status: 'out' });
    await latchkey.logout();
    expect(renders.map(({ status }) => status)).toEqual(['out', 'in', 'out']);
  });

  it('stays the same object while readings are equal, so that nothing is rendered', async () => {
    const { page } = await pageOf(await loggedIn(app));
    const known = page.session.getSnapshot();
    const { renders } = follow(page);

    await Promise.all([page.session.refresh(), page.session.refresh(), page.me()]);

    expect(page.session.getSnapshot()).toBe(known);
    expect(renders).toEqual([]);
  });

  it('is out as soon as any operation finds no session', async () => {
    const { page } = await pageOf(await loggedIn(app));
    await app.database.rows('DELETE FROM sessions');

    await expect(page.listSessions()).rejects.toMatchObject({ code: 'Unauthenticated' });

    expect(stateOf(page)).toBe('out');
  });

  it('does not end with a login that lacked its second step for too long', async () => {
    const { page } = await pageOf(await loggedIn(app));

    await expect(page.getPendingLogin()).rejects.toMatchObject({ code: 'Unauthenticated' });

    expect(stateOf(page)).toBe('in');
  });

  it('ends at its hour', async () => {
    const { page } = await pageOf(await loggedIn(app));
    await app.database.rows(`UPDATE sessions SET expires_at = now() + interval '200 milliseconds'`);
    await page.session.refresh();
    expect(stateOf(page)).toBe('in');

    await until(() => stateOf(page) === 'out');
  });

  it('is heard of in the other tabs of the browser', async () => {
    const jar = new CookieJar();
    const [first, second] = [jar.tab(url), jar.tab(url)];
    follow(second);
    await until(() => stateOf(second) === 'out');

    await first.login({ email: await verified(app), password: PASSWORD });
    await until(() => stateOf(second) === 'in');
    await first.updateMe({ name: 'Ada' });
    await until(() => (second.session.getSnapshot() as { user?: { name: string } }).user?.name === 'Ada');
    await first.logout();
    await until(() => stateOf(second) === 'out');
  });

  it('runs nothing once no page follows it any more', async () => {
    const { jar, page } = await pageOf(await loggedIn(app));
    for (const unsubscribe of unsubscribers.splice(0)) unsubscribe();
    const known = page.session.getSnapshot();

    await jar.tab(url).updateMe({ name: 'Ada' });
    const other = jar.tab(url);
    follow(other);
    await until(() => stateOf(other) === 'in');

    expect(page.session.getSnapshot()).toBe(known);
  });
});

describe('a reading of the session', () => {
  /** A page whose first reading has its answer, and gets to know it when the gate opens. */
  async function pageThatReads(
    jar: CookieJar,
  ): Promise<{ page: Latchkey; first: Promise<void>; gate: Gate }> {
    const [answered, gate] = [new Gate(), new Gate()];
    let isFirst = true;
    const page = jar.tab(url, {
      fetch: async (address, init) => {
        const waits = isFirst;
        isFirst = false;
        const response = await jar.fetch(address, init);
        answered.open();
        if (waits) await gate.opened;
        return response;
      },
    });
    const first = page.session.refresh();
    await answered.opened;
    return { page, first, gate };
  }

  it('counts only when none that was begun later has answered', async () => {
    const { page, first, gate } = await pageThatReads(new CookieJar(await loggedIn(app)));
    await app.database.rows(`UPDATE users SET name = 'Newer'`);

    await page.session.refresh();
    gate.open();
    await first;

    expect(page.session.getSnapshot()).toMatchObject({ status: 'in', user: { name: 'Newer' } });
  });

  it('that was begun before a login does not undo it', async () => {
    const { page, first, gate } = await pageThatReads(new CookieJar());

    await page.login({ email: await verified(app), password: PASSWORD });
    gate.open();
    await first;

    expect(stateOf(page)).toBe('in');
  });

  it('is made again when a change meets it, so that the page does not load for ever', async () => {
    const { page, first, gate } = await pageThatReads(new CookieJar());
    follow(page);

    await page.forgotPassword({ email: freshAddress() });
    gate.open();
    await first;

    await until(() => stateOf(page) === 'out');
  });
});

describe('a service that cannot be reached', () => {
  /** A page whose requests end in an error while `isDown`. */
  function pageWithFaults(jar: CookieJar): Latchkey & { isDown: boolean } {
    const page: Latchkey & { isDown: boolean } = Object.assign(
      jar.tab(url, {
        fetch: (address, init) =>
          page.isDown ? Promise.reject(new TypeError('failed')) : jar.fetch(address, init),
      }),
      { isDown: true },
    );
    return page;
  }

  it('is shown to a page that knows nothing yet, until an answer comes', async () => {
    const page = pageWithFaults(new CookieJar(await loggedIn(app)));
    follow(page);
    await until(() => stateOf(page) === 'unreachable');
    expect(page.session.getSnapshot()).toMatchObject({ problem: { code: 'Unreachable', status: 0 } });

    page.isDown = false;
    await page.session.refresh();

    expect(stateOf(page)).toBe('in');
  });

  it('changes nothing of what a page knows', async () => {
    const page = pageWithFaults(new CookieJar(await loggedIn(app)));
    page.isDown = false;
    await page.session.refresh();
    const known = page.session.getSnapshot();

    page.isDown = true;
    await page.session.refresh();
    await expect(page.me()).rejects.toMatchObject({ code: 'Unreachable' });

    expect(stateOf(page)).toBe('in');
    expect(page.session.getSnapshot()).toBe(known);
  });
});

describe('a page in a browser', () => {
  /** What a page has in a browser, of which Node has only parts. */
  const tab = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  const readings = () => app.log.filter((line) => line.includes('"route":"/users/me"')).length;
  const now = Date.now;

  beforeEach(() => {
    Object.assign(globalThis, { document: tab, addEventListener: tab.addEventListener.bind(tab) });
  });
  afterEach(() => {
    Object.assign(globalThis, { document: undefined, addEventListener: undefined });
    Date.now = now;
  });

  it('asks again when it becomes visible after a minute or more', async () => {
    await pageOf(await loggedIn(app));
    const before = readings();

    tab.dispatchEvent(new Event('visibilitychange'));
    Date.now = () => now() + 60_000;
    tab.visibilityState = 'hidden';
    tab.dispatchEvent(new Event('visibilitychange'));
    tab.visibilityState = 'visible';
    tab.dispatchEvent(new Event('visibilitychange'));

    await until(() => readings() > before);
    expect(readings()).toBe(before + 1);
  });

  it('asks again when it comes back from the back/forward cache', async () => {
    await pageOf(await loggedIn(app));
    const before = readings();

    tab.dispatchEvent(new Event('pageshow'));
    tab.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));

    await until(() => readings() > before);
    expect(readings()).toBe(before + 1);
  });
});
