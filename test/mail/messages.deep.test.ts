import { describe, expect, it } from '@jest/globals';
import { find } from 'linkifyjs';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { Role } from '../../src/http/role.js';
import { Links } from '../../src/mail/links.js';
import type { Mail } from '../../src/mail/mailer.js';
import { type Grant, Messages, type OrgAct } from '../../src/mail/messages.js';
import { canonicalName } from '../../src/validation/name.js';
import { compileLanguage } from '../../src/words/compile.js';
import { languageOf } from '../../src/words/languages.js';
import { Page } from './page.js';

const WEB = 'https://app.example.com/spa';
const TO = 'ada@example.com';
const TOKEN = 'q3vN1o7cXo0S8Jd1b2m4PzRkT5yUwE6hGfLaB9nCiVs';
const EXPIRES_AT = new Date('2026-11-21T13:30:00Z');
const ISSUED = {
  token: TOKEN,
  userId: '00000000-0000-0000-0000-000000000001',
  orgId: null,
  locale: null,
  sentTo: TO,
  expiresAt: EXPIRES_AT,
};
const INVITATION = {
  to: TO,
  orgName: 'Initech',
  role: Role.ORG_ADMIN,
  inviter: 'Ada Lovelace',
  token: TOKEN,
  expiresAt: EXPIRES_AT,
};
const CODE = { code: '7Q4M-0ZK2', expiresAt: EXPIRES_AT };
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const LOGIN_SEEN = { userAgent: FIREFOX, ip: '203.0.113.7', createdAt: EXPIRES_AT };

const GRANTS: Grant[] = [
  { email: 'eve@example.com', role: Role.ORG_ADMIN, isSuspended: false },
  { email: null, role: Role.MEMBER, isSuspended: false },
  { email: 'mallory@example.com', role: null, isSuspended: false },
  { email: 'peggy@example.com', role: null, isSuspended: true },
  { email: null, role: null, isSuspended: true },
];

const ACTS: OrgAct[] = [
  { type: 'org.created', orgName: 'Initech', isOwn: true, secondFactorRequired: null },
  { type: 'member.joined', orgName: 'Initrode', isOwn: true, secondFactorRequired: null },
  { type: 'member.removed', orgName: null, isOwn: false, secondFactorRequired: null },
];

const { language: ENGLISH } = await compileLanguage('en', 'service');

const LOGIN = `${WEB}/login`;
const FORGOT = `${WEB}/forgot-password`;

/** Every message: how the service writes it, and where its links lead. */
const MESSAGES: Record<string, { write: (messages: Messages) => Mail; links: string[] }> = {
  verification: {
    write: (messages) => messages.verification(ISSUED),
    links: [link('verify-email'), link('secure-account')],
  },
  'already-registered': { write: (messages) => messages.alreadyRegistered(TO), links: [LOGIN, FORGOT] },
  'password-reset': { write: (messages) => messages.passwordReset(ISSUED), links: [link('reset-password')] },
  'login-code': {
    write: (messages) => messages.loginCode(ISSUED, CODE),
    links: [`${WEB}/login-code?code=7Q4M-0ZK2`],
  },
  'step-up-code': {
    write: (messages) => messages.stepUpCode(ISSUED, CODE),
    links: [link('secure-account')],
  },
  'password-changed': {
    write: (messages) => messages.passwordChanged(ISSUED),
    links: [link('secure-account')],
  },
  'password-removed': {
    write: (messages) => messages.passwordRemoved(ISSUED),
    links: [link('secure-account')],
  },
  'account-deleted-by-admin': {
    write: (messages) => messages.accountDeletedByAdmin(TO),
    links: [],
  },
  'admin-appointed': {
    write: (messages) => messages.adminAppointed(ISSUED),
    links: [`http://localhost:3000/ui/reset-password?token=${TOKEN}&return_to=%2Fadmin`],
  },
  'account-made': {
    write: (messages) => messages.accountMade(ISSUED, 'Grace Hopper', 'Initech'),
    links: [link('reset-password')],
  },
  'email-change-by-admin': {
    write: (messages) => messages.emailChangeByAdmin(ISSUED, 'ada@initech.example'),
    links: [link('secure-account')],
  },
  'address-corrected': { write: (messages) => messages.addressCorrected(TO), links: [] },
  'member-joined': {
    write: (messages) => messages.memberJoined(ISSUED, 'Initech', Role.MEMBER),
    links: [link('secure-account')],
  },
  'payment-failed': {
    write: (messages) =>
      messages.paymentFailed(TO, { orgId: '7', orgName: 'Initech', since: EXPIRES_AT, until: EXPIRES_AT }),
    links: [`${WEB}/billing?org=7`],
  },
  'org-founded': {
    write: (messages) => messages.orgFounded(ISSUED, 'Initech'),
    links: [link('secure-account')],
  },
  'member-left': {
    write: (messages) => messages.memberLeft(ISSUED, 'Initech'),
    links: [link('secure-account')],
  },
  'member-removed': { write: (messages) => messages.memberRemoved(TO, 'Initech'), links: [] },
  'member-suspended': { write: (messages) => messages.memberSuspended(TO, 'Initech'), links: [] },
  'member-resumed': { write: (messages) => messages.memberResumed(TO, 'Initech'), links: [] },
  'role-lowered': { write: (messages) => messages.roleLowered(TO, Role.MEMBER, 'Initech'), links: [] },
  'account-exported': {
    write: (messages) => messages.accountExported(ISSUED),
    links: [link('secure-account')],
  },
  'identity-linked': {
    write: (messages) => messages.identityLinked(ISSUED),
    links: [link('secure-account')],
  },
  'passkey-added': {
    write: (messages) => messages.passkeyAdded(ISSUED, 'The phone'),
    links: [link('secure-account')],
  },
  'passkey-removed': {
    write: (messages) => messages.passkeyRemoved(ISSUED, 'The phone'),
    links: [link('secure-account')],
  },
  'second-step-on': { write: (messages) => messages.secondStepOn(ISSUED), links: [link('secure-account')] },
  'second-step-off': { write: (messages) => messages.secondStepOff(ISSUED), links: [link('secure-account')] },
  'factors-reset': { write: (messages) => messages.factorsReset(ISSUED), links: [link('secure-account')] },
  'recovery-code-used': {
    write: (messages) => messages.recoveryCodeUsed(ISSUED, 9),
    links: [link('secure-account')],
  },
  'recovery-codes-made': {
    write: (messages) => messages.recoveryCodesMade(ISSUED),
    links: [link('secure-account')],
  },
  'password-known': { write: (messages) => messages.passwordKnown(ISSUED), links: [link('secure-account')] },
  invitation: {
    write: (messages) => messages.invitation(INVITATION),
    links: [link('accept-invitation')],
  },
  'email-change': {
    write: (messages) => messages.emailChange(ISSUED, 'charles@example.com'),
    links: [link('confirm-email')],
  },
  'address-held': { write: (messages) => messages.addressHeld(TO), links: [] },
  'address-taken': { write: (messages) => messages.addressTaken(TO), links: [LOGIN, FORGOT] },
  'email-change-asked': {
    write: (messages) => messages.emailChangeAsked(ISSUED),
    links: [link('secure-account')],
  },
  'email-changed': { write: (messages) => messages.emailChanged(ISSUED), links: [link('secure-account')] },
  'email-change-undone': { write: (messages) => messages.emailChangeUndone(TO), links: [] },
  'account-deleted': { write: (messages) => messages.accountDeleted(TO), links: [] },
  'acted-for-you': {
    write: (messages) =>
      messages.actedForYou(ISSUED, {
        reason: 'see https://evil.example/login',
        mayWrite: true,
        startedAt: new Date('2026-11-21T12:30:00Z'),
        expiresAt: new Date('2026-11-21T13:00:00Z'),
      }),
    links: [link('secure-account')],
  },
  'identity-unlinked': {
    write: (messages) => messages.identityUnlinked(ISSUED),
    links: [link('secure-account')],
  },
  test: { write: (messages) => messages.test(TO), links: [] },
  'role-raised': { write: (messages) => messages.roleRaised(TO, 'Initech'), links: [] },
  'admin-added': { write: (messages) => messages.adminAdded(TO, 'charles@example.com', null), links: [] },
  'admin-secured': {
    write: (messages) => messages.adminSecured(TO, 'charles@example.com', GRANTS),
    links: [],
  },
  'role-changed-by-secured': {
    write: (messages) => messages.roleChangedBySecured(TO, 'charles@example.com', GRANTS),
    links: [],
  },
  'account-secured': {
    write: (messages) =>
      messages.accountSecured(TO, {
        acts: ACTS,
        grants: GRANTS,
        memberships: ['ended'],
        hasLostFactors: true,
      }),
    links: [],
  },
  'language-changed': {
    write: (messages) => messages.languageChanged(ISSUED, 'de'),
    links: [link('secure-account')],
  },
  'proofs-wrong': { write: (messages) => messages.proofsWrong(ISSUED), links: [link('secure-account')] },
  'new-logins': {
    write: (messages) => messages.newLogins(ISSUED, [LOGIN_SEEN, LOGIN_SEEN]),
    links: [link('secure-account')],
  },
  'login-pending': {
    write: (messages) => messages.pendingLogin(ISSUED),
    links: [link('secure-account')],
  },
  'login-limited': { write: (messages) => messages.loginLimited(TO), links: [FORGOT] },
  'new-login': {
    write: (messages) => messages.newLogin(ISSUED, LOGIN_SEEN),
    links: [link('secure-account')],
  },
};

function link(page: string): string {
  return `${WEB}/${page}?token=${TOKEN}`;
}

function messagesOf(variables: Record<string, string> = {}, language = ENGLISH): Messages {
  const environment = parseEnvironment({
    SVC_ENVIRONMENT: 'dev',
    SVC_BASE_WEB_URL: WEB,
    SVC_SUPPORT_EMAIL: 'help@example.com',
    ...variables,
  });
  return new Messages(environment, new Links(environment), languageOf(language, environment));
}

/** What a mail client makes a link of, though no person wrote one; some take any dot for a dot. */
const linksFoundIn = (text: string) =>
  find(text.normalize('NFKC').replaceAll('。', '.'))
    .map(({ value }) => value)
    .filter((value) => value !== 'help@example.com');

const hrefsOf = (page: Page) => page.elements('a').map(({ attributes }) => attributes.href);

describe.each(Object.entries(MESSAGES))('the message %s', (kind, { write, links }) => {
  const mail = write(messagesOf());
  const page = new Page(mail.html);

  it('has its kind, its address, and the time until which it is worth sending', () => {
    const isWithToken = links.some((address) => address.includes(TOKEN));

    expect(mail).toMatchObject({ kind, to: TO, subject: expect.stringMatching(/^[A-Z][^\n]{10,60}$/) });
    // The link to log in holds a code, and the mail says at the code until when it works.
    const isWithCode = mail.text.includes('until 21 November 2026 at 13:30 UTC:');
    expect(mail.expiresAt).toEqual(isWithToken || isWithCode ? EXPIRES_AT : undefined);
    expect(mail.text.includes('works once, until 21 November 2026 at 13:30 UTC.')).toBe(isWithToken);
  });

  it('is the same to the byte above the links of a product, which stand at its foot', () => {
    const url = 'https://example.com/imprint';
    const words = { en: 'Imprint' };
    const withLinks = write(
      messagesOf({
        SVC_FOOTER_LINKS: JSON.stringify([
          { url, words, mails: true },
          { url, words },
        ]),
      }),
    );
    const row = /\n<tr><td style="padding:16px 24px 0"><p [^>]+><a [^>]+>Imprint<\/a><\/p><\/td><\/tr>/;

    expect(withLinks.text).toBe(`${mail.text}\nImprint:\n${url}`);
    expect(withLinks.html).not.toBe(mail.html);
    expect(withLinks.html.replace(row, '')).toBe(mail.html);
    expect(hrefsOf(new Page(withLinks.html))).toEqual([...links, url]);
  });

  it('has its links in the HTML, and that of the button to copy', () => {
    expect(hrefsOf(page)).toEqual(links);
    expect(linksFoundIn(page.text)).toEqual(links.slice(0, 1));
  });

  it('has each link alone on a line of the text', () => {
    expect(mail.text.split('\n').filter((line) => linksFoundIn(line).length > 0)).toEqual(links);
  });

  it('says the same in HTML as in text', () => {
    const [body] = mail.text.split('\n-- \n');
    const lines = body?.split('\n').filter((line) => line && !links.includes(line)) ?? [];

    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(page.text).toContain(line.replace(/:$/, ''));
  });

  it('is a whole page: valid, in English, small, with nothing remote', () => {
    expect(page.faults).toEqual([]);
    expect(page.elements('html')[0]?.attributes).toEqual({ lang: 'en', dir: 'ltr' });
    expect(page.elements('title').map(({ text }) => text)).toEqual([mail.subject]);
    expect(page.elements('h1').map(({ text }) => text)).toEqual([mail.subject]);
    expect(mail.html).not.toMatch(/<(img|link|script|form|iframe)\b|\bsrc=|url\(|@import/i);
    expect(Buffer.byteLength(mail.html)).toBeLessThan(20_000);
  });

  it('is read as text by a screen reader, not as tables', () => {
    expect(page.elements('table').map(({ attributes }) => attributes.role)).not.toContain(undefined);
    expect(page.elements('div').at(-1)?.attributes).toMatchObject({ role: 'article', lang: 'en' });
  });

  it('declares dark colours, and has them', () => {
    const schemes = page
      .elements('meta')
      .filter(({ attributes }) => attributes.name?.endsWith('color-scheme'));

    expect(schemes.map(({ attributes }) => attributes.content)).toEqual(['light dark']);
    expect(mail.html).toContain('@media (prefers-color-scheme: dark)');
  });

  it('has no value missing', () => {
    expect(mail.subject + mail.text + mail.html).not.toMatch(/undefined|null|NaN|\[object|Invalid/);
  });

  it('names the product and the address for questions', () => {
    const named = write(messagesOf({ SVC_PRODUCT_NAME: 'Initech & Söhne' }));
    const anonymous = write(messagesOf({ SVC_SUPPORT_EMAIL: '' }));

    expect(named.text).toMatch(/\n-- \nInitech & Söhne\nQuestions\? Write to help@example\.com\.$/);
    expect(new Page(named.html).text).toContain('Initech & Söhne');
    expect(anonymous.text).toMatch(/\n-- \nLatchkey$/);
    expect(anonymous.html).not.toMatch(/help@|Questions/);
  });

  it.each([
    ['#3f46d6', '#ffffff'],
    ['#ffd500', '#000000'],
  ])('has buttons of the color of the product, %s, with %s on them', (color, onColor) => {
    const { html } = write(messagesOf({ SVC_PRODUCT_COLOR: color }));
    if (!html.includes('class="button"')) return;

    expect(html).toContain(`bgcolor="${color}"`);
    expect(html).toMatch(new RegExp(`<a class="button" href="[^"]+" style="[^"]*;color:${onColor};`));
  });
});

const HOSTILE: Record<string, string> = {
  'a header of its own': 'Initech\r\nBcc: everybody@evil.com\r\n\r\nHello',
  'control characters': 'Initech\0\u0007\u001b[2J\u2028\u2029\u0085',
  markup: `</title></style><img src=x onerror=alert(1)>"'><a href="https://evil.com">Log in</a><!--`,
  'a template': '{{constructor}} {{{subject}}} <%= 7 * 7 %> $' + '{7 * 7} $& $1',
  'an address': 'https://evil.com/login?token=1',
  'an address without a scheme': '//www.evil.com/login',
  'the name of a host': 'evil.com',
  'the name of a host in full width': 'evil．com evil。com evil｡com https：／／evil.com',
  'the name of a host with joiners': 'evil\u200d.\u200dcom',
  'an email address': 'help@evil.com',
  'a script': 'javascript:alert(1)',
  'an address with a break in it': 'https://evil\n.com/login',
  'text that turns around': '\u202emoc.live//:sptth\u2066\u200f',
  'text that no reader sees': 'e\u200bv\ufeffi\u00adl\u2060.\u200bcom',
  '10 KB': 'W'.repeat(10 * 1024),
  '10 KB of addresses': 'https://evil.com/ '.repeat(569),
};

describe.each(Object.entries(HOSTILE))('a name with %s', (_, name) => {
  const harmless = messagesOf().invitation(INVITATION);
  const mail = messagesOf().invitation({ ...INVITATION, orgName: name, inviter: name });
  const page = new Page(mail.html);

  it('keeps the subject on one line', () => {
    expect(mail.subject).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
    expect(mail.subject.length).toBeLessThan(300);
  });

  it('becomes a link in neither HTML nor text', () => {
    expect(hrefsOf(page)).toEqual([link('accept-invitation')]);
    expect(linksFoundIn(page.text)).toEqual([link('accept-invitation')]);
    expect(linksFoundIn(mail.text)).toEqual([link('accept-invitation')]);
    expect(linksFoundIn(mail.subject)).toEqual([]);
  });

  it('adds neither an element nor a line', () => {
    const shapeOf = ({ html }: Mail) => new Page(html).elements().map((element) => element.name);

    expect(page.faults).toEqual([]);
    expect(shapeOf(mail)).toEqual(shapeOf(harmless));
    expect(mail.text.split('\n')).toHaveLength(harmless.text.split('\n').length);
    expect(page.text.split('\n')).toHaveLength(new Page(harmless.html).text.split('\n').length);
  });

  it('is not repeated by a message when it comes as a user agent', () => {
    const login = messagesOf().newLogin(ISSUED, { userAgent: name, ip: null, createdAt: EXPIRES_AT });
    const unknown = messagesOf().newLogin(ISSUED, { userAgent: null, ip: null, createdAt: EXPIRES_AT });

    expect(login).toEqual(unknown);
    expect(login.text).toContain('with an unknown program, on 21 November 2026 at 13:30 UTC.');
  });
});

describe('the name of the product', () => {
  const possible = Object.entries(HOSTILE).filter(([, name]) => canonicalName(name) === name);

  it.each(possible)('changes no link of any message when it has %s', (_, name) => {
    const messages = messagesOf({ SVC_PRODUCT_NAME: name });
    expect(possible.length).toBeGreaterThan(8);

    for (const { write, links } of Object.values(MESSAGES)) {
      const mail = write(messages);
      const page = new Page(mail.html);
      expect(page.faults).toEqual([]);
      expect(hrefsOf(page)).toEqual(links);
      expect(linksFoundIn(page.text)).toEqual(links.slice(0, 1));
      expect(linksFoundIn(`${mail.subject} ${mail.text}`)).toEqual(links);
    }
  });
});

describe('the mail of an invitation', () => {
  it('says who invites, where, and as what', () => {
    const { text } = messagesOf().invitation(INVITATION);

    expect(text).toContain(
      'You are invited to join “Initech” at Latchkey, as an administrator of the organization.',
    );
    expect(text).toContain('The invitation is from Ada Lovelace.');
  });
});

describe('the button of a mail', () => {
  it('stands out where the reader has asked for it, and not where the mail only reports', () => {
    const buttonOf = ({ html }: Mail) => /<td class="(\w+)" bgcolor/.exec(html)?.[1];

    expect(buttonOf(messagesOf().passwordReset(ISSUED))).toBe('button');
    expect(buttonOf(messagesOf().newLogin(ISSUED, LOGIN_SEEN))).toBe('quiet');
    expect(buttonOf(messagesOf().loginLimited(TO))).toBe('quiet');
  });
});

describe('a harmless name', () => {
  it.each(['Initech & Söhne', "O'Reilly, Inc.", '<3', '株式会社イニテック', '👩\u200d💻 Club'])(
    'is shown as it is: %s',
    (orgName) => {
      const mail = messagesOf().invitation({ ...INVITATION, orgName });

      expect(mail.subject).toBe('You are invited to Latchkey');
      expect(mail.text).toContain(`“${orgName}”`);
      expect(new Page(mail.html).text).toContain(`“${orgName}”`);
    },
  );
});

describe('an address in a mail to another person', () => {
  const read = ({ text }: Mail) => text.replaceAll('\u200b', '');

  it.each([
    ['charles@example.com', 'c…@example.com'],
    ['👩\u200d💻@example.com', '👩…@example.com'],
    ['"a@b"@example.com', '"…@example.com'],
  ])('is masked where it names the account that is to move: %s', (address, masked) => {
    expect(read(messagesOf().emailChange(ISSUED, address))).toContain(`account of ${masked}.`);
  });

  it('is shown to the other admins, with the organization', () => {
    const mail = messagesOf().adminAdded(TO, 'charles@example.com', 'Initech');

    expect(read(mail)).toContain(
      'charles@example.com is now an administrator of the organization “Initech” at Latchkey',
    );
    expect(mail.subject).toBe('There is a new administrator');
  });
});

describe('the mail about the account of an admin that was secured', () => {
  const secured = (grants: typeof GRANTS) =>
    messagesOf().adminSecured(TO, 'charles@example.com', grants).text.replaceAll('\u200b', '');

  it('names the users it gave a role, and the role', () => {
    const text = secured(GRANTS);

    expect(text).toContain('It made eve@example.com an administrator of the organization.');
    expect(text).toContain('It made a person, whose account no longer exists, a member.');
    expect(text).toContain('It removed mallory@example.com from the organization.');
    expect(text).toContain('It suspended peggy@example.com in the organization.');
    expect(text).toContain('It suspended a person, whose account no longer exists, in the organization.');
  });

  it('says that it changed no role, when it changed none', () => {
    expect(secured([])).toContain('the account changed no roles');
  });

  it('stays short, and says how many more there are', () => {
    const many = Array.from({ length: 50 }, (_, index) => ({
      email: `user-${index}@example.com`,
      role: Role.MEMBER,
      isSuspended: false,
    }));

    expect(secured(many).match(/It made .* a member/g)).toHaveLength(20);
    expect(secured(many)).toContain('There are at least 30 more');
  });
});

describe('the mail to the owner who secured an account', () => {
  const secured = (acts: OrgAct[], grants = GRANTS) =>
    messagesOf().accountSecured(TO, { acts, grants, memberships: [], hasLostFactors: false });
  const renamed = (orgName: string): OrgAct => ({
    type: 'org.updated',
    orgName,
    isOwn: true,
    secondFactorRequired: null,
  });

  it('lists what was done to organizations and roles', () => {
    const { text } = secured([
      ...ACTS,
      renamed('Hooli'),
      { ...renamed('Hooli'), type: 'org.policy_changed' },
      { ...renamed('Hooli'), type: 'org.policy_changed', secondFactorRequired: true },
    ]);

    for (const sentence of [
      'It created the organization “Initech”.',
      'It joined the organization “Initrode”.',
      'It was removed from an organization that no longer exists.',
      'It renamed the organization that is now called “Hooli”.',
      'It changed what the organization “Hooli” requires before its members can use it.',
      'It made the organization “Hooli” require a second factor of its members.',
    ])
      expect(text).toContain(sentence);
    expect(text.replaceAll('\u200b', '')).toContain('It made eve@example.com an administrator');
  });

  it('says that nothing was done, when nothing was', () => {
    expect(secured([], []).text).toContain('did nothing to organizations and roles');
  });

  it('carries a name as plain text, and lists only the first of many', () => {
    const many = Array.from({ length: 50 }, () => renamed('<b>evil.example/login</b>'));
    const { html, text } = secured(many);

    expect(text.match(/It renamed/g)).toHaveLength(20);
    expect(text).toContain('There are at least 30 more');
    expect(text).not.toContain('evil.example/login');
    expect(html).not.toContain('<b>');
  });
});

describe('a user agent', () => {
  const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0';
  const IPHONE =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';

  it.each([
    [FIREFOX, 'Firefox on Linux'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`, 'Chrome on Windows'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 Edg/141.0.0.0`, 'Edge on Windows'],
    [`Mozilla/5.0 (X11; Linux x86_64) ${CHROME} Safari/537.36 OPR/125.0.0.0`, 'Opera on Linux'],
    [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${CHROME} Safari/537.36`, 'Chrome on ChromeOS'],
    [`Mozilla/5.0 (Linux; Android 10; K) ${CHROME} Mobile Safari/537.36`, 'Chrome on Android'],
    [
      'Mozilla/5.0 (Linux; Android 15; SM-S938B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36',
      'Samsung Internet on Android',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
      'Safari on macOS',
    ],
    [`${IPHONE} Version/18.6 Mobile/15E148 Safari/604.1`, 'Safari on iPhone'],
    [`${IPHONE} CriOS/141.0.0.0 Mobile/15E148 Safari/604.1`, 'Chrome on iPhone'],
    [`${IPHONE} FxiOS/143.0 Mobile/15E148 Safari/605.1.15`, 'Firefox on iPhone'],
    ['Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) Version/18.6 Safari/604.1', 'Safari on iPad'],
    ['Firefox', 'Firefox'],
    ['MyApp/3.1 (iPhone; iOS 18.6)', 'an unknown program on iPhone'],
    ['curl/8.5.0', 'an unknown program'],
    ['', 'an unknown program'],
  ])('is put into words: %s', (userAgent, words) => {
    const { text } = messagesOf().newLogin(ISSUED, { ...LOGIN_SEEN, userAgent });

    expect(text).toContain(`with ${words} from 203.0.113.7, on 21 November 2026 at 13:30 UTC.`);
  });

  it('is put into words of the language of the mail', async () => {
    const { language } = await compileLanguage('de', 'service');
    const { text } = messagesOf({}, language).newLogin(ISSUED, LOGIN_SEEN);

    expect(text).toContain('mit Firefox auf Linux von 203.0.113.7');
  });
});
