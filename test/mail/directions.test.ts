import { describe, expect, it } from '@jest/globals';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { Role } from '../../src/http/role.js';
import { Links } from '../../src/mail/links.js';
import type { Mail } from '../../src/mail/mailer.js';
import { Messages } from '../../src/mail/messages.js';
import { compileLanguage } from '../../src/words/compile.js';
import { languageOf } from '../../src/words/languages.js';
import { inPseudo } from '../../src/words/pseudo.js';
import type { CompiledLanguage } from '../../src/words/say.js';
import { Page } from './page.js';

const { language: ENGLISH } = await compileLanguage('en', 'service');
const FROM_RIGHT_TO_LEFT = inPseudo(ENGLISH, 'ar-XB');

/** An invitation to an organization, with a link, as a mail says it. */
function invitation(orgName: string, language: CompiledLanguage = ENGLISH): Mail {
  const environment = parseEnvironment({
    SVC_ENVIRONMENT: 'dev',
    SVC_BASE_WEB_URL: 'https://app.example.com',
    SVC_PRODUCT_NAME: 'Analytical',
  });
  return new Messages(environment, new Links(environment), languageOf(language, environment)).invitation({
    to: 'ada@example.com',
    orgName,
    role: Role.MEMBER,
    inviter: 'Ada Lovelace',
    token: 'token',
    expiresAt: new Date('2026-11-21T13:30:00Z'),
  });
}

const isolatedIn = (html: string) => new Page(html).elements('bdi').map(({ text }) => text);

describe('a mail in a language that is read from left to right', () => {
  it.each(['أكاديمية 7', 'חברה', 'می\u200cخواهم'])('isolates a name of the other direction: %s', (name) => {
    const { text, html } = invitation(name);

    expect(text).toContain(`“\u2068${name}\u2069”`);
    expect(isolatedIn(html)).toContain(name);
    expect(html).not.toMatch(/[\u2066-\u2069]/);
    expect(new Page(html).faults).toEqual([]);
  });

  it.each(['Initech', 'Zażółć', '株式会社イニテック', 'Ελλάδα 7'])(
    'leaves a name of its own direction as it is: %s',
    (name) => {
      const { text, html } = invitation(name);

      expect(text).toContain(`“${name}”`);
      expect(text + html).not.toMatch(/[\u2066-\u2069]|<bdi>/);
    },
  );

  it('isolates a name that tries to end its isolation, whole', () => {
    const { text } = invitation('أ\u2069\u202emoc');

    expect(text).toContain('“\u2068أmoc\u2069”');
  });
});

describe('a mail in a language that is read from right to left', () => {
  const { text, html } = invitation('Initech', FROM_RIGHT_TO_LEFT);
  const page = new Page(html);

  it('says so where a mail client may look for it: of the page, of what is read, and of each table', () => {
    const language = { lang: 'ar-XB', dir: 'rtl' };

    expect(page.faults).toEqual([]);
    expect(page.elements('html')[0]?.attributes).toEqual(language);
    expect(page.elements('div').at(-1)?.attributes).toMatchObject({ role: 'article', ...language });
    expect(page.elements('table').length).toBeGreaterThan(2);
    expect(page.elements('table').map(({ attributes }) => attributes.dir)).not.toContain(undefined);
  });

  it('isolates the names in it, that of the product as well', () => {
    expect(text).toContain('\u2068Initech\u2069');
    expect(text).toMatch(/\n-- \n\u2068Analytical\u2069$/);
    expect(isolatedIn(html)).toEqual(expect.arrayContaining(['Initech', 'Analytical', 'Ada Lovelace']));
  });

  it('has its link from left to right, alone on a line', () => {
    const link = 'https://app.example.com/accept-invitation?token=token';

    expect(text.split('\n')).toContain(link);
    expect(page.elements('span')).toEqual([
      expect.objectContaining({ text: link, attributes: expect.objectContaining({ dir: 'ltr' }) }),
    ]);
  });
});
