import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { Links } from '../../src/mail/links.js';
import { signedUp, verified } from '../support/accounts.js';
import { linkIn } from '../support/mails.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ SVC_WEB_PAGES: 'login, reset-password' });
});
afterAll(() => app.close());

const linksOf = (variables: Record<string, string>) =>
  new Links(
    parseEnvironment({
      SVC_ENVIRONMENT: 'dev',
      SVC_BASE_WEB_URL: 'https://app.test/start',
      SVC_BASE_API_URL: 'http://localhost:3000',
      ...variables,
    }),
  );

describe('SVC_WEB_PAGES', () => {
  it('lets the links of mails lead to the pages that the product has, and to /ui for the rest', async () => {
    const [newcomer, forgetful] = [await signedUp(app), await verified(app)];
    await app.browser().post('/password/forgot', { email: forgetful });

    expect(linkIn(await app.mailbox.last(newcomer))).toMatch(
      /^http:\/\/localhost:3000\/ui\/verify-email\?token=/,
    );
    expect(linkIn(await app.mailbox.last(forgetful))).toMatch(
      /^http:\/\/localhost:5173\/reset-password\?token=/,
    );
  });

  it('leads on from a page of the service to the product, and from a page of the product by its path', () => {
    const links = linksOf({ SVC_WEB_PAGES: 'login' });

    expect(links.loginThen('/reports')).toBe('https://app.test/start/login?return_to=%2Freports');
    expect(links.secondStep('/reports')).toBe(
      'http://localhost:3000/ui/second-step?return_to=https%3A%2F%2Fapp.test%2Fstart%2Freports',
    );
    expect(links.billing(null, 'success')).toBe('http://localhost:3000/ui/billing?checkout=success');
    expect(links.ofPages().login()).toBe('http://localhost:3000/ui/login');
  });

  it('says which organization pays, or that the user does where they can belong to several', () => {
    const orgId = '018f3c1e-7a7b-7c2d-9a36-4b1f0c7d2e11';

    expect(linksOf({}).billing(orgId)).toBe(`https://app.test/start/billing?org=${orgId}`);
    expect(linksOf({ SVC_ORGS_PER_USER: '2' }).billing(null, 'canceled')).toBe(
      'https://app.test/start/billing?checkout=canceled&org=none',
    );
  });

  it('names all pages unless it is set', () => {
    expect(linksOf({}).billing(null)).toBe('https://app.test/start/billing');
  });

  it.each([
    [{ SVC_WEB_PAGES: 'login,log-out' }, 'SVC_WEB_PAGES must be a list of pages'],
    [
      { SVC_WEB_PAGES: 'login', SVC_PAGES: 'off' },
      'SVC_PAGES must be on: SVC_WEB_PAGES leaves pages to the service',
    ],
  ])('is refused at the start: %j', (variables, fault) => {
    expect(() => linksOf(variables)).toThrow(fault);
  });
});
