import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signedUp, verified } from '../support/accounts.js';
import { callCommand, runCommand } from '../support/command-line.js';
import { COLLECTING } from '../support/garbage.js';
import { MailapiStandIn } from '../support/mailapi-stand-in.js';
import { foundOrg } from '../support/orgs.js';
import { SmtpStandIn } from '../support/smtp-stand-in.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { TestApp } from '../support/test-app.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { webhooks } from '../support/webhooks.js';

const JWT_SECRET = 'mXn3v7wLkq0Zb5RtYc8uEo2iPa6sDf9g';

/** With some faults, which do not keep it from asking the database. */
const IN_PRODUCTION = {
  SVC_ENVIRONMENT: 'prod',
  SVC_BASE_WEB_URL: 'https://app.initech.com',
  SVC_BASE_API_URL: 'https://api.initrode.com',
  SVC_EMAIL_PROVIDER: 'stub',
  SVC_CRON_SECRET: JWT_SECRET,
};

let app: TestApp;
let address: string;
beforeAll(async () => {
  app = await TestApp.start({
    SVC_RATE_LIMITS: 'on',
    SVC_TRUSTED_PROXIES: '127.0.0.1',
    SVC_JWT_SECRET_KEY: JWT_SECRET,
    SVC_IDP_CLIENT_ID: 'a client',
    SVC_IDP_CLIENT_SECRET: 'its secret',
  });
  address = `http://127.0.0.1:${await app.listen()}`;
});
afterAll(() => app.close());

/** What it finds, in a process of its own where variables are for Node. */
async function findings(words: string[], variables: Record<string, string> = {}) {
  const isForNode = Object.keys(variables).some((name) => name.startsWith('NODE_'));
  const run = isForNode ? runCommand : callCommand;
  const { code, output, lines } = await run(app, ['doctor', '--json', ...words], variables);
  const found: { code: string; text: string; fix: string }[] = JSON.parse(lines[0] ?? '');
  return { exit: code, output, codes: found.map((finding) => finding.code), found };
}

describe('doctor', () => {
  it('finds no fault in a sound database', async () => {
    const { code, output } = await runCommand(app, ['doctor']);

    expect(output).toContain('Nothing was found.');
    expect(code).toBe(0);
  });

  it('prints what the start would refuse, and no secret', async () => {
    const { exit, codes, output } = await findings([], IN_PRODUCTION);

    const ofAnyNode = codes.filter((code) => code !== 'NODE_END_OF_LIFE');
    expect(ofAnyNode).toEqual(['SITES_DIFFER', 'SECRET_REPEATED', 'COOKIE_PLANTABLE', 'MAIL_STUB']);
    expect(exit).toBe(1);
    expect(output).not.toContain(JWT_SECRET);
  });

  it('counts the accounts whose password has a hash that the service cannot compare', async () => {
    const email = await verified(app);
    const set = (hash: string) =>
      app.database.rows('UPDATE users SET password_hash = $1 WHERE email = $2', [hash, email]);

    await set(`$2y$12$${'a'.repeat(53)}`);
    expect((await findings([])).codes).toEqual([]);
    await set('$argon2id$v=19$m=65536');
    const { codes, found, exit } = await findings([]);
    expect({ codes, exit }).toEqual({ codes: ['PASSWORD_HASHES_UNKNOWN'], exit: 0 });
    expect(found[0]?.text).toContain('know: 1.');
    await app.database.rows('DELETE FROM users WHERE email = $1', [email]);
  });

  it('names organizations without an admin who can log in', async () => {
    const { id, admin } = await foundOrg(app, 'Initech');
    expect((await findings([])).codes).toEqual([]);

    await app.database.rows('UPDATE users SET disabled_at = now() WHERE id = $1', [admin.id]);

    const { exit, found } = await findings([]);
    expect(found).toMatchObject([{ code: 'ORG_WITHOUT_ADMIN', severity: 'warning' }]);
    expect(found[0]?.text).toContain(id);
    expect(exit).toBe(0);
    await app.database.rows('DELETE FROM memberships; DELETE FROM organizations');
  });

  it('names organizations whose networks admit no member, because clients have no address', async () => {
    const { id } = await foundOrg(app, 'Initech');
    const refusing = async (proxies: string) => {
      const { found } = await findings([], { ...IN_PRODUCTION, SVC_TRUSTED_PROXIES: proxies });
      return found.filter(({ code }) => code === 'POLICY_WITHOUT_ADDRESSES').map(({ text }) => text);
    };
    expect(await refusing('')).toEqual([]);

    await app.database.rows(`UPDATE organizations SET policy_networks = '{192.0.2.0/24}'`);

    expect(await refusing('none')).toEqual([]);
    expect(await refusing('')).toEqual([expect.stringContaining(id)]);
    await app.database.rows('DELETE FROM memberships; DELETE FROM organizations');
  });

  it('warns of a setting whose name is misspelt', async () => {
    const { exit, found } = await findings([], { SVC_TRUSTED_PROXY: '10.0.0.1' });

    expect(found).toMatchObject([{ code: 'SETTING_UNKNOWN', severity: 'warning' }]);
    expect(found[0]?.text).toContain('SVC_TRUSTED_PROXY');
    expect(exit).toBe(0);
  });

  it('asks the providers whether they accept the keys', async () => {
    const [stripe, mailapi] = [await StripeStandIn.start(), await MailapiStandIn.start()];
    const variables = { ...stripe.variables, ...mailapi.variables };

    expect((await findings([], variables)).codes).toEqual([]);

    const listed = { SVC_STRIPE_PRICE_IDS: `${stripe.account.addPrice()},price_of_another_account` };
    const { codes: ofPrices, found } = await findings([], { ...variables, ...listed });
    expect(ofPrices).toEqual(['STRIPE_PRICE_UNKNOWN']);
    expect(found[0]?.text).toMatch(/: price_of_another_account\.$/);

    const { id } = stripe.account.addCustomer();
    await app.database.rows(
      'INSERT INTO billing_customers (id, user_id, stripe_customer_id) SELECT id, id, $1 FROM users WHERE email = $2',
      [id, await verified(app)],
    );
    expect((await findings([], variables)).codes).toEqual([]);
    stripe.account.loseCustomer(id);
    expect(await findings([], variables)).toMatchObject({ codes: ['STRIPE_CUSTOMER_UNKNOWN'], exit: 1 });
    await app.database.rows('UPDATE billing_customers SET livemode = true');
    stripe.trouble = ({ path }) => (path.includes('customers') ? 'refuse' : undefined);
    const ofOtherMode = await findings([], variables);
    expect(ofOtherMode).toMatchObject({ codes: ['STRIPE_OTHER_MODE'], exit: 1 });
    expect(ofOtherMode.found[0]?.text).toContain('the test mode: 1.');
    stripe.calmDown();
    await app.database.rows('DELETE FROM billing_customers');

    mailapi.scopes = ['templates.read'];
    const strange = { SVC_STRIPE_SECRET_KEY: 'sk_test_strange' };
    const { codes, exit, output } = await findings([], { ...variables, ...strange });
    expect({ codes, exit }).toEqual({ codes: ['STRIPE_KEY_REFUSED', 'MAILAPI_KEY_REFUSED'], exit: 1 });
    expect(output).not.toContain('sk_test_strange');

    mailapi.answer('hang up');
    stripe.trouble = () => 'refuse';
    const unheard = await findings([], variables);
    expect(unheard).toMatchObject({ codes: ['STRIPE_UNREACHABLE', 'MAILAPI_UNREACHABLE'], exit: 0 });
    await Promise.all([stripe.stop(), mailapi.close()]);
  });

  it('logs in to the SMTP server, whose certificate a private authority signed', async () => {
    const server = await SmtpStandIn.start({ tls: 'starttls' });
    const variables = { ...server.variables, NODE_EXTRA_CA_CERTS: await server.writeCertificate() };
    const [right, wrong] = await Promise.all([
      findings([], variables),
      findings([], { ...variables, SVC_SMTP_PASSWORD: 'a strange password' }),
    ]);

    expect(right.codes).toEqual([]);
    expect(wrong).toMatchObject({ codes: ['SMTP_LOGIN_REFUSED'], exit: 1 });
    expect(wrong.output).not.toContain('a strange password');
    expect(server.delivered).toEqual([]);
    await server.close();
  });

  it('warns of an identity provider whose document it cannot read, and prints no secret', async () => {
    const secret = 'GOCSPX-of_the_client';
    const client = { id: 'staff', title: 'Our staff', client_id: 'a client', client_secret: secret };
    const list = [{ ...client, issuer: 'http://127.0.0.1:1' }];
    const { exit, found, output } = await findings([], { SVC_IDP_OTHERS: JSON.stringify(list) });

    expect(found).toMatchObject([{ code: 'PROVIDER_UNREADABLE', severity: 'warning' }]);
    expect(found[0]?.text).toContain('staff');
    expect(exit).toBe(0);
    expect(output).not.toContain(secret);
  });

  it('prints what is wrong with a deployment', async () => {
    const { exit, codes, found } = await findings([address], { SVC_BASE_WEB_URL: 'https://app.initech.com' });

    expect(codes.sort()).toEqual([
      'API_ADDRESS_DIFFERS',
      'COOKIE_ATTRIBUTES',
      'CORS_REFUSES_THE_SPA',
      'DEV_PUBLIC',
      'FORWARDED_FOR_BELIEVED',
      'HSTS_MISSING',
      'HTTPS_MISSING',
      'REDIRECT_URI_DIFFERS',
    ]);
    for (const { text, fix } of found) expect(`${text} ${fix}`).toMatch(/\. .+\.$/);
    expect(exit).toBe(1);
  });

  it('prints that mails lead to pages that do not answer', async () => {
    const toPages = { SVC_BASE_WEB_URL: `${address}/ui`, SVC_BASE_API_URL: address };
    const nowhere = { SVC_BASE_WEB_URL: 'http://127.0.0.1:1/ui', SVC_BASE_API_URL: 'http://127.0.0.1:1' };
    const [reachable, unreachable] = [await findings([address], toPages), await findings([address], nowhere)];

    expect(reachable.codes).not.toContain('PAGES_UNREACHABLE');
    expect(reachable.codes).not.toContain('CORS_REFUSES_THE_SPA');
    expect(unreachable.codes).toContain('PAGES_UNREACHABLE');
  });

  it('prints which pages of SVC_WEB_PAGES do not answer', async () => {
    const product = createServer(({ url }, response) => {
      response
        .writeHead(url === '/login' ? 200 : url === '/signup' ? 302 : 404, { location: '/login' })
        .end();
    });
    await once(product.listen(0, '127.0.0.1'), 'listening');
    const web = `http://127.0.0.1:${(product.address() as AddressInfo).port}`;
    const set = (pages: string) => ({
      SVC_BASE_WEB_URL: web,
      SVC_BASE_API_URL: address,
      SVC_WEB_PAGES: pages,
    });

    const sound = await findings([address], set('login,signup'));
    const { found } = await findings([address], set('login,reset-password,verify-email'));
    product.close();
    const { found: away } = await findings([address], set('login'));

    expect(sound.codes).not.toContain('PAGES_UNREACHABLE');
    const texts = (each: typeof found) =>
      each.filter(({ code }) => code === 'PAGES_UNREACHABLE').map(({ text }) => text);
    expect(texts(found)).toEqual(
      ['reset-password', 'verify-email'].map(
        (page) => `Mails lead to ${web}/${page}, and no page answers there.`,
      ),
    );
    expect(texts(away)).toEqual([`Mails lead to ${web}/login, and no page answers there.`]);
  });

  it('prints that the pages which SVC_WEB_PAGES leaves to the service do not answer', async () => {
    const { found } = await findings([address], {
      SVC_BASE_WEB_URL: address,
      SVC_BASE_API_URL: 'http://127.0.0.1:1',
      SVC_WEB_PAGES: 'login',
    });

    expect(found.map(({ text }) => text)).toContain(
      'Mails lead to http://127.0.0.1:1/ui, and no page of the service answers there.',
    );
  });

  it('prints that mails wait or that the service gave them up', async () => {
    const emails = [await signedUp(app), await signedUp(app)];
    for (const email of emails) await app.mailbox.last(email);
    await app.database.rows(
      `UPDATE outbox_mails SET finished_at = NULL, outcome = NULL, content = '', due_at = now() + interval '1 hour',
              created_at = now() - interval '1 hour' WHERE recipient = $1`,
      [emails[0]],
    );
    await app.database.rows(`UPDATE outbox_mails SET outcome = 'dead' WHERE recipient = $1`, [emails[1]]);

    expect((await findings([])).codes).toEqual(['MAIL_WAITING', 'MAIL_DEAD']);
    await app.database.rows('TRUNCATE outbox_mails');
  });

  it('prints which endpoints do not answer or refuse events, and for which of them some wait', async () => {
    const receiver = await WebhookReceiver.start();
    receiver.react({ status: 404 });
    const set = (url: string) => webhooks({ name: 'product', url }, { name: 'crm', url: receiver.url });
    expect((await findings([], set(receiver.url))).codes).toEqual([]);

    await app.database.rows(
      `INSERT INTO webhook_deliveries (id, event_id, endpoint, due_at, created_at, finished_at, outcome)
       SELECT gen_random_uuid(), gen_random_uuid(), endpoint, now() + interval '1 day', now() - interval '1 hour', ended,
              CASE WHEN ended IS NOT NULL THEN 'dead' END
         FROM (VALUES ('product', NULL), ('crm', now()), ('former', NULL)) AS d (endpoint, ended);
       INSERT INTO webhook_outages VALUES ('crm', 1, now(), true)`,
    );
    const { codes, found, exit } = await findings([], set('http://127.0.0.1:1/'));

    expect(codes).toEqual([
      'WEBHOOK_UNREACHABLE',
      'WEBHOOK_REFUSED',
      'WEBHOOK_DEAD',
      'WEBHOOK_NOT_SET',
      'WEBHOOK_WAITING',
    ]);
    expect(found.map(({ text }) => /product|crm|former/.exec(text)?.[0])).toEqual([
      'product',
      'crm',
      'crm',
      'former',
      'product',
    ]);
    expect(exit).toBe(1);
    await app.database.rows('TRUNCATE webhook_deliveries, webhook_outages');
    await receiver.close();
  });

  it('prints which rights on tables the role has lost', async () => {
    const role = new URL(app.database.url).username;
    await app.database.rows(`REVOKE DELETE ON sessions FROM ${role}, PUBLIC`);

    const { exit, found } = await findings([]);
    await app.database.rows(`GRANT DELETE ON sessions TO ${role}`);

    expect(found).toMatchObject([{ code: 'DATABASE_RIGHTS_MISSING' }]);
    expect(found[0]?.text).toContain('sessions (DELETE)');
    expect(exit).toBe(1);
  });

  it('says that it could not look behind a service with another secret', async () => {
    const { codes } = await findings([address], { SVC_JWT_SECRET_KEY: `another${JWT_SECRET}` });

    expect(codes).toContain('CONNECTION_UNKNOWN');
    expect(codes).not.toContain('FORWARDED_FOR_BELIEVED');
  });

  it('prints that the database does not answer', async () => {
    const { exit, codes } = await findings([], {
      SVC_DATABASE_URL: 'postgres://service@127.0.0.1:1/service',
    });

    expect(codes).toEqual(['DATABASE_UNREACHABLE']);
    expect(exit).toBe(1);
  });

  it('prints that a service is not ready, has a slow clock and allows every origin', async () => {
    const server = createServer(({ headers }, response) =>
      response
        .writeHead(503, {
          date: new Date(Date.now() - 60_000).toUTCString(),
          'access-control-allow-origin': headers.origin ?? '*',
          'access-control-allow-credentials': 'true',
        })
        .end(),
    );
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { codes } = await findings([`http://127.0.0.1:${(server.address() as AddressInfo).port}`]);
    server.close();

    expect(codes).toEqual(expect.arrayContaining(['NOT_READY', 'CLOCK_OF_SERVICE', 'CORS_ALLOWS_ALL']));
  });

  it('exits with 2 when the service does not answer', async () => {
    const { exit, codes } = await findings(['http://127.0.0.1:1']);

    expect(codes).toContain('UNREACHABLE');
    expect(exit).toBe(2);
  });

  it('waits for no answer that never ends, also while garbage is collected', async () => {
    const dripping = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 100);
      response.on('close', () => clearInterval(timer));
    });
    await new Promise<void>((listening) => dripping.listen(0, '127.0.0.1', listening));
    const base = `http://127.0.0.1:${(dripping.address() as AddressInfo).port}`;
    const staff = { id: 'staff', title: 'Our staff', client_id: 'a', client_secret: 'b', issuer: base };
    const providers = {
      SVC_MAILAPI_API_KEY: `SG.${'a'.repeat(22)}.${'b'.repeat(43)}`,
      SVC_MAILAPI_BASE_URL: base,
      SVC_IDP_OTHERS: JSON.stringify([staff]),
    };

    const [ofProviders, ofService] = await Promise.all([
      findings([], { ...providers, ...COLLECTING }),
      findings([base], COLLECTING),
    ]).finally(() => dripping.closeAllConnections());

    dripping.close();
    expect(ofProviders).toMatchObject({ codes: ['MAILAPI_UNREACHABLE', 'PROVIDER_UNREADABLE'], exit: 0 });
    expect(ofService).toMatchObject({ codes: ['UNREACHABLE'], exit: 2 });
  });

  it('prints what is wrong with the jobs, the mails and the migrations', async () => {
    const { database } = app;
    await database.rows(`UPDATE scheduled_jobs SET created_at = now() - interval '3 days'`);
    await database.rows(`INSERT INTO mail_outages VALUES ('stub', 1, now() + interval '1 hour', true)`);
    await database.rows(`INSERT INTO migrations (timestamp, name) VALUES (1, 'OfTheFuture1')`);

    expect((await findings([])).codes).toEqual(['SCHEMA_AHEAD', 'CRON_LATE', 'MAIL_KEY_REFUSED']);

    await database.rows(`DELETE FROM migrations WHERE name = 'OfTheFuture1' OR name LIKE 'CreateOutbox%'`);
    expect((await findings([])).codes).toEqual(['SCHEMA_BEHIND']);
  });
});
