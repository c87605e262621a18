import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import bcrypt from 'bcrypt';
import { freshAddress, loggedIn, PASSWORD, verified } from '../support/accounts.js';
import { AuthenticatorApp, SECOND_FACTOR } from '../support/authenticator-app.js';
import { HASHES } from '../support/hashes.js';
import { imported } from '../support/ndjson.js';
import { foundOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

const SEVERAL = { SVC_ORGS_PER_USER: '5' };

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start(SEVERAL);
});
afterAll(() => app.close());

const login = (email: string, password: string) => app.browser().post('/auth/login', { email, password });
const userOf = async (email: string) =>
  (await app.database.rows('SELECT * FROM users WHERE email = $1', [email]))[0];
const counts = () =>
  app.database.rows(
    `SELECT (SELECT count(*)::int FROM users) AS users, (SELECT count(*)::int FROM organizations) AS organizations,
            (SELECT count(*)::int FROM memberships) AS memberships, (SELECT count(*)::int FROM audit_events WHERE 'import' IN (details->>'command', details->>'joined_by')) AS events`,
  );
const run = (lines: unknown[], ...words: string[]) => imported(app, lines, { words, variables: SEVERAL });

/** A user of whom only the address is said. */
const someone = <Fields extends object>(fields = {} as Fields) => ({ email: freshAddress(), ...fields });

describe('import', () => {
  it('makes an account with all that its line says', async () => {
    const [email, key, subject] = [freshAddress(), `crm-${randomUUID()}`, randomUUID()];
    const { results, code } = await run([
      {
        email: email.toUpperCase(),
        external_id: key,
        email_verified: true,
        name: ' Ada Lovelace ',
        locale: 'DE-ch',
        time_zone: 'Europe/Zurich',
        created_at: '2019-03-01T10:00:00Z',
        password_hash: bcrypt.hashSync(PASSWORD, 4),
        identities: [{ issuer: 'https://accounts.google.com', subject, email }],
        organizations: [
          {
            external_id: `${key}/a`,
            name: 'Analytical',
            role: 'org_admin',
            joined_at: '2020-01-01T00:00:00Z',
          },
          { external_id: `${key}/b`, name: 'Difference', role: 'readonly', suspended: true },
        ],
      },
    ]);

    const user = await userOf(email);
    expect(results).toEqual([{ line: 1, email, external_id: key, id: user.id, outcome: 'created' }]);
    expect(code).toBe(0);
    const made = new Date('2019-03-01T10:00:00Z');
    expect(user).toMatchObject({
      external_id: key,
      name: 'Ada Lovelace',
      locale: 'de-CH',
      time_zone: 'Europe/Zurich',
      own_role: 'member',
      created_at: made,
      // Only now does this service know of it.
      email_verified_at: expect.any(Date),
      password_changed_at: made,
      disabled_at: null,
    });
    expect(
      await app.database.rows(
        `SELECT o.name, o.external_id, m.role, m.joined_by, m.suspended_at IS NOT NULL AS suspended
           FROM memberships m JOIN organizations o ON o.id = m.org_id WHERE m.user_id = $1 ORDER BY o.name`,
        [user.id],
      ),
    ).toEqual([
      {
        name: 'Analytical',
        external_id: `${key}/a`,
        role: 'org_admin',
        joined_by: 'import',
        suspended: false,
      },
      { name: 'Difference', external_id: `${key}/b`, role: 'readonly', joined_by: 'import', suspended: true },
    ]);
    expect(
      await app.database.rows('SELECT provider, subject, email FROM identities WHERE user_id = $1', [
        user.id,
      ]),
    ).toEqual([{ provider: 'https://accounts.google.com', subject, email }]);
    const { status, body } = await login(email, PASSWORD);
    expect([status, body.organizations.map(({ name }: { name: string }) => name)]).toEqual([
      200,
      ['Analytical', 'Difference'],
    ]);
  });

  it('sorts an account without an id by the time it was made at', async () => {
    const [old, young] = [freshAddress(), freshAddress()];
    await run([
      { email: young, created_at: '2024-01-01T00:00:00Z' },
      { email: old, created_at: '2012-01-01T00:00:00Z' },
    ]);
    expect((await userOf(old)).id < (await userOf(young)).id).toBe(true);
    expect((await userOf(young)).id < (await userOf(await verified(app))).id).toBe(true);
  });

  it('takes the hashes of other systems, whose owners log in, and has them hashed anew', async () => {
    const owners = Object.values(HASHES).map((each) => ({ ...each, email: freshAddress() }));
    const { code } = await run(
      owners.map(({ email, hash }) => ({ email, email_verified: true, password_hash: hash })),
    );
    expect(code).toBe(0);

    for (const { email, hash, password } of owners) {
      expect([hash, (await login(email, `${password} `)).status]).toEqual([hash, 401]);
      expect((await userOf(email)).password_hash).toBe(hash);
      expect([hash, (await login(email, password)).status]).toEqual([hash, 200]);
      expect((await userOf(email)).password_hash).toMatch(/^hmac-sha256:\$2b\$04\$/);
      expect([hash, (await login(email, password)).status]).toEqual([hash, 200]);
    }
  });

  it('asks for the code of an authenticator app that came along, in any form of its secret', async () => {
    const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
    const forms = [
      secret,
      secret.toLowerCase().replace(/(.{4})/g, '$1 '),
      `otpauth://totp/Acme:ada?secret=${secret}&issuer=Acme&algorithm=SHA1&digits=6&period=30`,
    ];
    const [hash, emails] = [bcrypt.hashSync(PASSWORD, 4), forms.map(() => freshAddress())];
    await run(
      forms.map((totp_secret, index) => ({
        email: emails[index],
        email_verified: true,
        password_hash: hash,
        totp_secret,
      })),
    );

    for (const email of emails) {
      const browser = app.browser();
      expect((await browser.post('/auth/login', { email, password: PASSWORD })).status).toBe(202);
      const totp = new AuthenticatorApp(secret).code();
      expect((await browser.post(SECOND_FACTOR, { totp })).status).toBe(200);
    }
    const stored = await app.database.rows('SELECT secret FROM totp_factors');
    expect(stored.map(({ secret: sealed }) => sealed.toString('latin1')).join()).not.toContain(secret);
  });

  it('leaves an account without a password to its owner, who asks for a link', async () => {
    const email = freshAddress();
    await run([{ email }]);
    expect((await login(email, PASSWORD)).status).toBe(401);
    await app.browser().post('/password/forgot', { email });
    const reset = { token: await app.mailbox.token(email), new_password: PASSWORD };
    expect((await app.browser().post('/password/reset', reset)).status).toBe(204);
    expect((await login(email, PASSWORD)).status).toBe(200);
  });

  it('puts users into organizations that are there, and leaves those as they are', async () => {
    const [org, email] = [await foundOrg(app, 'Initech'), freshAddress()];
    const { results } = await run([
      { organization: { id: org.id, name: 'Another name' } },
      { email, organizations: [{ id: org.id, name: 'A third one', role: 'member' }] },
    ]);
    expect(results).toMatchObject([{ outcome: 'exists', id: org.id }, { outcome: 'created' }]);
    const { data } = (await org.admin.get(`/orgs/${org.id}/members?search=${email}`)).body;
    expect(data).toMatchObject([{ email, role: 'member' }]);
    expect((await org.admin.get(`/orgs/${org.id}`)).body.org).toMatchObject({
      name: 'Initech',
      member_count: 4,
    });
  });

  it('makes an organization with its rules', async () => {
    const key = `org-${randomUUID()}`;
    const policy = {
      second_factor: true,
      idle_minutes: 30,
      age_minutes: null,
      login_methods: ['idp', 'passkey'],
      networks: ['192.0.2.0/24'],
      acting: false,
    };
    const { results } = await run([
      {
        organization: {
          external_id: key,
          name: 'Strict',
          locale: 'fr',
          created_at: '2020-01-01T00:00:00Z',
          policy,
        },
      },
    ]);
    const admin = await loggedIn(app);
    await app.database.rows(`UPDATE users SET own_role = 'sys_admin' WHERE email = $1`, [admin.email]);
    expect((await admin.get(`/orgs?ids=${results[0].id}`)).body.data).toMatchObject([
      { name: 'Strict', locale: 'fr', external_id: key, second_factor_required: true },
    ]);
    expect((await admin.get(`/orgs/${results[0].id}/policy`)).body.policy).toEqual(policy);
  });

  it.each(['', '--dry-run'])(
    'takes no organization of another name for one of the same external id %s',
    async (flag) => {
      const key = `org-${randomUUID()}`;
      const org = { external_id: key, name: 'Alpha' };
      const filler = Array.from({ length: 500 }, () => someone());
      const { results } = await run(
        [
          { organization: org },
          ...filler,
          someone({ organizations: [{ ...org, name: 'Beta', role: 'org_admin' }] }),
          someone({ organizations: [org] }),
          someone({ organizations: [{ external_id: key }] }),
        ],
        ...(flag ? [flag] : []),
      );

      expect(results.slice(-3).map(({ outcome, reason }) => [outcome, reason])).toEqual([
        ['refused', `organization ${key} has another name here`],
        ['created', undefined],
        ['created', undefined],
      ]);
    },
  );

  it('answers that an account is there, at the second time, and changes nothing then', async () => {
    const [one, two] = [someone({ external_id: randomUUID(), name: 'One' }), someone()];
    const three = someone({ id: randomUUID() });
    const org = { organization: { external_id: randomUUID(), name: 'Twice' } };
    const lines = [
      org,
      { ...one, organizations: [{ external_id: org.organization.external_id }] },
      two,
      three,
    ];
    const first = await run(lines);
    const before = await counts();
    await app.database.rows(`UPDATE users SET name = 'Changed here' WHERE external_id = $1`, [
      one.external_id,
    ]);

    const second = await run(lines);

    expect(first.results.map(({ outcome }) => outcome)).toEqual(Array(4).fill('created'));
    expect(second.results.map(({ outcome, id }) => [outcome, id])).toEqual(
      first.results.map(({ id }) => ['exists', id]),
    );
    expect(second.code).toBe(0);
    expect(await counts()).toEqual(before);
    expect(await app.database.value('SELECT name FROM users WHERE external_id = $1', [one.external_id])).toBe(
      'Changed here',
    );
  });

  it('records each account, organization and membership, mails nobody, and sends no event', async () => {
    const [email, key] = [freshAddress(), randomUUID()];
    const webhooks = JSON.stringify([
      {
        name: 'all',
        url: 'https://product.test',
        secrets: [`whsec_${randomBytes(32).toString('base64')}`],
        types: ['*'],
      },
    ]);
    await imported(app, [{ email, organizations: [{ external_id: key, name: 'Told', role: 'org_admin' }] }], {
      variables: { ...SEVERAL, SVC_WEBHOOKS: webhooks },
    });

    const org = await app.database.value('SELECT id FROM organizations WHERE external_id = $1', [key]);
    const { id } = await userOf(email);
    expect(
      await app.database.rows(
        'SELECT type, org_id, actor_id, details FROM audit_events WHERE user_id = $1 OR org_id = $2 ORDER BY type',
        [id, org],
      ),
    ).toEqual([
      { type: 'account.created', org_id: null, actor_id: null, details: { command: 'import' } },
      {
        type: 'member.joined',
        org_id: org,
        actor_id: null,
        details: { role: 'org_admin', joined_by: 'import' },
      },
      { type: 'org.created', org_id: org, actor_id: null, details: { command: 'import' } },
    ]);
    expect(await app.database.rows('SELECT 1 FROM webhook_deliveries')).toEqual([]);
    expect(await app.database.rows('SELECT 1 FROM outbox_mails WHERE recipient = $1', [email])).toEqual([]);
  });
});

describe('a dry run', () => {
  it('says what would become of each line, and changes nothing', async () => {
    const [key, taken, subject] = [randomUUID(), await verified(app), randomUUID()];
    const identity = { issuer: 'https://accounts.google.com', subject };
    const many = Array.from({ length: 150 }, () => someone());
    const lines = [
      { organization: { external_id: key, name: 'Dry' } },
      someone({
        email_verified: true,
        identities: [identity],
        organizations: [{ external_id: `${key}/inline`, name: 'Inline' }],
      }),
      { email: taken },
      // More than a transaction: organizations and identities of the first one are still known afterwards.
      ...many,
      someone({ organizations: [{ external_id: key }, { external_id: `${key}/inline` }] }),
      someone({ email_verified: true, identities: [identity] }),
      someone({ organizations: [{ external_id: `${key}/unknown` }] }),
    ];
    const before = await counts();

    const dry = await run(lines, '--dry-run');
    expect(await counts()).toEqual(before);
    const real = await run(lines);

    const outcomes = (results: { outcome: string; reason?: string }[]) =>
      results.map(({ outcome }) => outcome);
    expect(outcomes(dry.results)).toEqual(outcomes(real.results));
    expect(outcomes(dry.results).slice(-3)).toEqual(['created', 'refused', 'refused']);
    expect(dry.results[1].id).toBeNull();
    expect(dry.code).toBe(1);
    expect(dry.output).toContain('156 lines: 153 would be created, 1 there already, 2 refused');
  });
});

describe('a line that is wrong', () => {
  const DJANGO = HASHES.Django?.hash ?? '';
  const cases: [what: string, line: unknown, reason: RegExp][] = [
    ['no JSON', '{"email": "a@example.com"', /^is not a JSON object$/],
    ['a list', '["a@example.com"]', /^is not a JSON object$/],
    [
      'one that reaches the prototype',
      '{"email":"a@example.com","__proto__":{"role":"x"}}',
      /^is not a JSON/,
    ],
    ['without an address', { name: 'Ada' }, /^email must be an email address$/],
    ['with a bad address', { email: 'ada@' }, /^email must be an email address$/],
    [
      'with a typing error',
      someone({ emial_verified: true }),
      /^emial_verified is not a field of this line$/,
    ],
    ['with a text for a flag', someone({ disabled: 'false' }), /^disabled must be true or false$/],
    ['of tomorrow', someone({ created_at: '2999-01-01T00:00:00Z' }), /^created_at must be an instant/],
    ['of the 31st of February', someone({ created_at: '2020-02-31T00:00:00Z' }), /^created_at must be/],
    ['with an id that is none', someone({ id: '17' }), /^id must be a UUID$/],
    ['with an id of blanks', someone({ external_id: 'a b' }), /^external_id must be 1 to 128/],
    [
      'with an id that is too long',
      someone({ external_id: 'x'.repeat(129) }),
      /^external_id must be 1 to 128/,
    ],
    ['of a SYSTEM_ADMIN', someone({ role: 'sys_admin' }), /^role must not be sys_admin/],
    ['of an ORG_ADMIN of nothing', someone({ role: 'org_admin' }), /^role must be one of readonly, member$/],
    [
      'with a hash of MD5',
      someone({ password_hash: '5f4dcc3b5aa765d61d8327deb882cf99' }),
      /^password_hash is in no form/,
    ],
    ['with a password', someone({ password_hash: 'a long pass phrase' }), /^password_hash is in no form/],
    ['with an unusable hash of Django', someone({ password_hash: '!aBcD' }), /^password_hash is in no form/],
    [
      'with bcrypt of an absurd cost',
      someone({ password_hash: `$2b$31$${'a'.repeat(53)}` }),
      /^password_hash costs more/,
    ],
    [
      'with PBKDF2 of an absurd cost',
      someone({ password_hash: DJANGO.replace('260000', '9000000') }),
      /^password_hash costs more/,
    ],
    [
      'with Argon2 of an absurd cost',
      someone({ password_hash: HASHES['argon2-cffi']?.hash.replace('m=102400', 'm=9999999') }),
      /^password_hash costs more/,
    ],
    [
      'with a hash that no program could read',
      someone({ password_hash: DJANGO.replace(/[^$]+(?=\$[^$]+$)/, 'a\u0000b') }),
      /^password_hash is in no form/,
    ],
    [
      'with Argon2 of more lanes than memory',
      someone({ password_hash: HASHES['argon2-cffi']?.hash.replace('m=102400', 'm=8') }),
      /^password_hash costs more/,
    ],
    [
      'with Argon2 without salt',
      someone({ password_hash: '$argon2id$v=19$m=102400,t=2,p=8$AA$AAAAAAAAAAAAAAAA' }),
      /^password_hash is in no form/,
    ],
    [
      'with scrypt beyond its standard',
      someone({ password_hash: `$scrypt$ln=16,r=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}` }),
      /^password_hash costs more/,
    ],
    [
      'with an identity beside an address that nobody proved',
      someone({ identities: [{ issuer: 'https://a.test', subject: '1' }] }),
      /^identities must not come with an address that is not verified$/,
    ],
    [
      'with a second factor beside one',
      someone({ totp_secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' }),
      /^totp_secret must not come with/,
    ],
    [
      'with a control character for a field',
      { ...someone(), '\u009b31m': true },
      /^\?31m is not a field of this line$/,
    ],
    [
      'with codes of 8 digits',
      someone({ totp_secret: 'otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&digits=8' }),
      /^totp_secret must be/,
    ],
    ['with a short secret', someone({ totp_secret: 'JBSWY3DP' }), /^totp_secret must be/],
    [
      'with an identity of nobody',
      someone({ identities: [{ issuer: 'https://a.test' }] }),
      /^identities need an issuer/,
    ],
    [
      'with two identities of an issuer',
      someone({ identities: ['1', '2'].map((subject) => ({ issuer: 'https://a.test', subject })) }),
      /one at each issuer/,
    ],
    [
      'with a membership of nothing',
      someone({ organizations: [{ role: 'member' }] }),
      /^organizations\[0\]\.id or external_id is needed$/,
    ],
    [
      'with an unknown organization',
      someone({ organizations: [{ external_id: 'nobody' }] }),
      /^organization nobody is in no earlier line/,
    ],
    [
      'with an organization twice',
      someone({
        organizations: [
          { external_id: 'two', name: 'Two' },
          { external_id: 'two', name: 'Two' },
        ],
      }),
      /^organizations must be another one each$/,
    ],
    [
      'with a role that is none',
      someone({ organizations: [{ external_id: 'r', name: 'R', role: 'owner' }] }),
      /^organizations\[0\]\.role must be one of/,
    ],
    [
      'with more organizations than allowed',
      someone({ organizations: [1, 2, 3, 4, 5, 6].map((n) => ({ external_id: `o${n}`, name: 'O' })) }),
      /SVC_ORGS_PER_USER/,
    ],
    [
      'of an organization without a name',
      { organization: { external_id: 'nameless' } },
      /^organization\.name must be/,
    ],
    [
      'of an organization without an id',
      { organization: { name: 'Idless' } },
      /^organization needs an id or an external_id$/,
    ],
    [
      'of an organization with absurd rules',
      { organization: { external_id: 'p', name: 'P', policy: { idle_minutes: 1 } } },
      /^organization\.policy must be/,
    ],
    ['that is too long', JSON.stringify(someone({ name: 'x'.repeat(300_000) })), /^is longer than 256 KiB$/],
  ];

  it('is named with its number and a reason, and changes nothing, beside lines that are right', async () => {
    const good = [someone(), someone()];
    const before = (await counts())[0];

    const { results, code } = await run([good[0], ...cases.map(([, line]) => line), good[1]]);

    expect(code).toBe(1);
    expect(results[0].outcome).toBe('created');
    expect(results.at(-1)).toMatchObject({
      line: cases.length + 2,
      outcome: 'created',
      email: good[1]?.email,
    });
    for (const [index, [what, , reason]] of cases.entries())
      expect([what, results[index + 1]]).toEqual([
        what,
        expect.objectContaining({
          line: index + 2,
          outcome: 'refused',
          id: null,
          reason: expect.stringMatching(reason),
        }),
      ]);
    expect((await counts())[0]).toEqual({ ...before, users: before.users + 2, events: before.events + 2 });
  });

  it('is refused where its address or external id stood in an earlier one', async () => {
    const [email, key] = [freshAddress(), randomUUID()];
    const before = (await counts())[0];

    const { results } = await run([
      { email, external_id: key, password_hash: 'unknown' },
      { email: email.toUpperCase() },
      someone({ external_id: key }),
    ]);

    expect(results.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('password_hash is in no form'),
      'email stands in line 1 already',
      'external_id stands in line 1 already',
    ]);
    expect((await counts())[0]).toEqual(before);
  });

  it('is refused where another account has its address, its external id or its id', async () => {
    const [there, known] = [await verified(app), someone({ external_id: randomUUID(), id: randomUUID() })];
    await run([known]);
    const before = (await counts())[0];
    const cases: [line: object, reason: string][] = [
      [
        { email: there, external_id: randomUUID() },
        'email has an account already, with another external_id, or none',
      ],
      [
        { email: there.replace('@', '@sub.'), id: (await userOf(there)).id },
        'id is that of an account with another address',
      ],
      [someone({ external_id: known.external_id }), 'external_id is that of an account with another address'],
      [someone({ external_id: randomUUID(), id: known.id }), 'id is that of another account'],
    ];

    const { results } = await run(cases.map(([line]) => line));
    const others = await run([{ ...known, id: randomUUID() }, someone()]);
    const third = await run([{ email: known.email, id: randomUUID() }]);

    expect(results.map(({ reason }) => reason)).toEqual(cases.map(([, reason]) => reason));
    expect(others.results[0].reason).toBe('external_id is that of an account with another id');
    expect(third.results[0].reason).toBe('email has an account already, with another id');
    expect((await counts())[0]).toEqual({ ...before, users: before.users + 1, events: before.events + 1 });
  });

  it('is refused alone where an identity belongs to another account, and makes no organization', async () => {
    const identity = { issuer: 'https://accounts.google.com', subject: randomUUID() };
    await run([someone({ email_verified: true, identities: [identity] })]);
    const key = randomUUID();
    const bad = someone({
      email_verified: true,
      identities: [identity],
      organizations: [{ external_id: key, name: 'Half' }],
    });
    const { results } = await run([
      someone(),
      bad,
      someone(),
      someone({ organizations: [{ external_id: key }] }),
    ]);
    expect(results).toMatchObject([
      { outcome: 'created' },
      { outcome: 'refused', reason: 'identities: one of them belongs to another account' },
      { outcome: 'created' },
      { outcome: 'refused', reason: expect.stringContaining('is in no earlier line') },
    ]);
    expect(await app.database.rows('SELECT 1 FROM organizations WHERE external_id = $1', [key])).toEqual([]);
  });

  it('is refused alone where its address is held for an account that had it', async () => {
    const [mover, held, key] = [await loggedIn(app), freshAddress(), randomUUID()];
    await app.database.rows(
      `INSERT INTO email_changes (id, user_id, old_email, expires_at)
       SELECT gen_random_uuid(), id, $2, now() + interval '1 day' FROM users WHERE email = $1`,
      [mover.email, held],
    );
    const { results } = await run([
      someone(),
      { email: held, organizations: [{ external_id: key, name: 'Held' }] },
      someone(),
    ]);
    expect(results).toMatchObject([
      { outcome: 'created' },
      { outcome: 'refused', reason: expect.stringContaining('bring back') },
      { outcome: 'created' },
    ]);
    expect(await app.database.rows('SELECT 1 FROM organizations WHERE external_id = $1', [key])).toEqual([]);
  });
});
