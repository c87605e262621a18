import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Mailer } from '../../src/mail/mailer.js';
import { freshAddress, signedUp } from '../support/accounts.js';
import { METHODS, wholeAnswer } from '../support/answers.js';
import { answerTo } from '../support/send.js';
import { TestApp } from '../support/test-app.js';
import { TestDatabase } from '../support/test-database.js';
import { Page } from './page.js';

const HOSTILE = `</summary></iframe><script>alert(1)</script>"'><img src=x onerror=alert(1)>&quot;{{x}}`;

let database: TestDatabase;
let app: TestApp;
beforeAll(async () => {
  database = await TestDatabase.create();
  app = await TestApp.start({}, { database });
});
afterAll(() => app.close());

/** Hands a mail to the stub. */
function send(subject: string, { to = 'ada@example.com', text = 'Hello', html = '<p>Hello</p>' } = {}) {
  return app.nest
    .get(Mailer)
    .send({ id: 'some-id', kind: 'some-kind', to, language: 'en', subject, text, html });
}

const mailboxPage = async () => new Page((await app.browser().get('/dev/mail')).text);

describe('GET /dev/mail', () => {
  it('shows the mail of a signup, as HTML beside the text', async () => {
    const email = await signedUp(app);
    const { text } = await app.mailbox.last(email);
    const token = await app.mailbox.token(email);

    const page = await mailboxPage();

    expect(page.faults).toEqual([]);
    expect(page.elements('summary')[0]?.text).toContain(`Confirm your email address to ${email}`);
    expect(page.elements('pre')[0]?.text).toBe(text);
    const { srcdoc = '', sandbox } = page.elements('iframe')[0]?.attributes ?? {};
    expect(sandbox).toBe('allow-popups allow-popups-to-escape-sandbox');
    const mail = new Page(srcdoc);
    expect(mail.elements('base')[0]?.attributes).toEqual({ target: '_blank' });
    expect(mail.elements('a')[0]?.attributes.href).toContain(token);
  });

  it('shows when each mail came, and the newest first and open', async () => {
    const before = new Date().toISOString();
    await send('The first of two');
    await send('The second of two');

    const page = await mailboxPage();

    const [newest, older] = page.elements('summary').map(({ text }) => text);
    expect([newest, older]).toEqual([
      expect.stringContaining('The second of two'),
      expect.stringContaining('The first of two'),
    ]);
    expect(String(page.elements('time')[1]?.attributes.datetime) >= before).toBe(true);
    expect(page.elements('details').map(({ attributes }) => 'open' in attributes)).toEqual(
      page.elements('details').map((_, index) => index === 0),
    );
  });

  it('allows no script, nothing remote and no frame around it, and is not stored', async () => {
    const { status, headers } = await app.browser().get('/dev/mail');

    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
  });

  it('shows nothing of a mail as its own markup', async () => {
    await send('Harmless');
    const harmless = (await mailboxPage()).elements('details')[0];
    const to = `${freshAddress()}${HOSTILE}`;
    await send(HOSTILE, { to, text: HOSTILE, html: HOSTILE });

    const page = await mailboxPage();

    expect(page.faults).toEqual([]);
    expect(page.elements().map(({ name }) => name)).not.toContain('script');
    expect(page.elements('summary')[0]?.text).toContain(`${HOSTILE} to ${to}`);
    expect(page.elements('pre')[0]?.text).toBe(HOSTILE);
    expect(page.elements('iframe')[0]?.attributes).toEqual({
      title: HOSTILE,
      sandbox: 'allow-popups allow-popups-to-escape-sandbox',
      srcdoc: `<base target="_blank">${HOSTILE}`,
    });
    expect(page.elements('details')[1]).toEqual({ ...harmless, attributes: {} });
  });

  it('keeps the last 100 mails', async () => {
    for (const index of Array(101).keys()) await send(`Mail ${index} of many`);

    const subjects = (await mailboxPage()).elements('strong').map(({ text }) => text);

    expect(subjects).toHaveLength(100);
    expect([subjects.at(0), subjects.at(-1)]).toEqual(['Mail 100 of many', 'Mail 1 of many']);
  });

  it('is shown under the names of this machine and of its network', async () => {
    const other = await TestApp.start({ SVC_BASE_API_URL: 'http://dev.local' }, { database });
    for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000', '192.168.1.20:3000', 'dev.local']) {
      const { status } = await other.browser({ host }).get('/dev/mail');
      expect([host, status]).toEqual([host, 200]);
    }
    await other.nest.close();
  });

  it('shows a process without mails that it has none', async () => {
    const other = await TestApp.start({}, { database });
    const { text } = await other.browser().get('/dev/mail');
    await other.nest.close();

    expect(text).toContain('No mail yet.');
    expect(new Page(text).elements('details')).toEqual([]);
  });
});

describe('GET /dev/mail.json', () => {
  it('lists the mails to an address, the newest first, with their links', async () => {
    const to = freshAddress();
    await send('Older', { to, text: 'Open http://localhost:5173/verify-email?token=one\n\nBye' });
    await send('To somebody else');
    await send('Newer', { to });

    const { status, headers, body } = await app.browser().get(`/dev/mail.json?to=${to.toUpperCase()}`);

    expect({ status, cache: headers['cache-control'] }).toEqual({ status: 200, cache: 'no-store' });
    expect(body.data).toEqual([
      expect.objectContaining({ subject: 'Newer', to, text: 'Hello', html: '<p>Hello</p>', links: [] }),
      expect.objectContaining({
        subject: 'Older',
        kind: 'some-kind',
        kept_at: expect.stringMatching(/^\d{4}-.*Z$/),
        links: ['http://localhost:5173/verify-email?token=one'],
      }),
    ]);
    expect((await app.browser().get('/dev/mail.json')).body.data[1].subject).toBe('To somebody else');
  });

  it('gives each mail an id, under which it is to be had alone', async () => {
    const to = freshAddress();
    await send('The only one', { to });
    const [mail] = (await app.browser().get(`/dev/mail.json?to=${to}`)).body.data;

    expect((await app.browser().get(`/dev/mail/${mail.id}.json`)).body).toEqual({ mail });
    for (const path of [`/dev/mail/${mail.id}`, '/dev/mail/some-id.json'])
      expect([path, (await app.browser().get(path)).status]).toEqual([path, 404]);
  });

  it('refuses what is no address, and a parameter that it does not know', async () => {
    for (const query of ['to=ada', 'from=ada@example.com', 'to=a@example.com&to=b@example.com'])
      expect([query, (await app.browser().get(`/dev/mail.json?${query}`)).status]).toEqual([query, 400]);
  });

  it('may be read by no page of a foreign origin', async () => {
    const { headers } = await app.browser({ origin: 'https://evil.example' }).get('/dev/mail.json');

    expect(headers['access-control-allow-origin']).not.toBe('https://evil.example');
  });
});

/** Every path of the mailbox, with a mail that is there. */
async function paths(): Promise<string[]> {
  await send('Some mail');
  const [{ id }] = (await app.browser().get('/dev/mail.json')).body.data;
  return ['/dev/mail', '/dev/mail.json', '/dev/mail/preview', `/dev/mail/${id}.json`];
}

describe('/dev/mail is no path', () => {
  it.each([
    'rebound.example.com',
    'localhost.example.com:3000',
    '203.0.113.9',
    '203.0.113.9:3000',
    '[2001:db8::9]:3000',
  ])('under the name %s', async (host) => {
    for (const path of await paths())
      expect([path, (await app.browser({ host }).get(path)).status]).toEqual([path, 404]);
  });

  it.each([
    { 'x-forwarded-for': '203.0.113.1' },
    { 'x-forwarded-proto': 'https' },
    { 'x-real-ip': '203.0.113.1' },
    { forwarded: 'for=203.0.113.1' },
    { via: '1.1 proxy' },
    { 'cf-connecting-ip': '203.0.113.1' },
    { 'true-client-ip': '203.0.113.1' },
    { 'x-client-ip': '203.0.113.1' },
    { 'fly-client-ip': '203.0.113.1' },
    { 'cdn-loop': 'cloudflare' },
    { 'x-envoy-external-address': '203.0.113.1' },
    { 'x-amzn-trace-id': 'Root=1-67891233-abcdef012345678912345678' },
  ])('for a request that a proxy passed on: %j', async (headers) => {
    for (const path of await paths()) {
      const { status } = await app.browser({ host: 'localhost:3000', ...headers }).get(path);
      expect([path, status]).toEqual([path, 404]);
    }
  });

  it('for what a proxy passed on, also one that tells nothing but HTTP/1.0, and the log says why, once', async () => {
    const other = await TestApp.start({}, { database });
    const { status } = await other.browser({ host: 'localhost:3000', via: '1.1 proxy' }).get('/dev/mail');
    const port = await other.listen();
    const passedOn = await answerTo(port, 'GET /dev/mail HTTP/1.0\r\nHost: 127.0.0.1:3921\r\n\r\n');
    await other.nest.close();

    expect([status, passedOn.statusCode]).toEqual([404, 404]);
    expect(other.log.filter((line) => line.includes('DEV_BEHIND_PROXY'))).toHaveLength(1);
  });

  it.each(['https://api.example.com', 'http://127.evil.example', 'http://203.0.113.7:3000'])(
    'where the service has an address of the internet: %s',
    async (address) => {
      const other = await TestApp.start({ SVC_BASE_API_URL: address }, { database });
      await expectNoPath(other);
      await other.nest.close();
    },
  );

  async function expectNoPath(service: TestApp) {
    for (const method of METHODS)
      for (const request of [
        { method },
        { method, headers: { 'content-type': 'text/plain' }, payload: 'x' },
      ]) {
        for (const path of ['/dev/mail', '/dev/mail.json', '/dev/mail/preview', '/dev/mail/some-id.json']) {
          const answer = await wholeAnswer(service, path, request);
          expect(answer).toEqual(await wholeAnswer(service, '/dev/no-such-path', request));
          expect(answer.status).toBe(404);
        }
      }
  }

  it.each(['beta', 'prod', 'staging', 'DEV'])('in %s', async (environment) => {
    const other = await TestApp.start(
      {
        SVC_ENVIRONMENT: environment,
        SVC_BASE_WEB_URL: 'https://app.example.com',
        SVC_BASE_API_URL: 'https://api.example.com',
      },
      { database },
    );
    await expectNoPath(other);
    await other.nest.close();
  });

  it('with a provider that sends mails', async () => {
    const other = await TestApp.start({}, { database });
    for (const emailProvider of ['mailapi', 'cloudmail']) {
      Object.assign(other.environment, { emailProvider });
      await expectNoPath(other);
    }
    await other.nest.close();
  });
});
