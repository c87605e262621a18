import { createHash, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import bcrypt from 'bcrypt';
import { eventsTo, mailsTo } from '../back-end.js';
import * as contender from '../contenders/latchkey.js';
import { align } from '../report/align.js';
import { email, token } from '../seeds.js';
import { Server } from '../server.js';
import { auc, shuffled } from '../statistics.js';

/** What an account may be, and the SQL that makes it so. */
const ACCOUNTS = {
  known: 'name = name',
  unverified: 'email_verified_at = NULL',
  'identity-only': 'password_hash = NULL, password_changed_at = NULL',
  disabled: 'disabled_at = now()',
  'of a language': "locale = 'ja', time_zone = 'Asia/Tokyo'",
};

const KINDS = ['unknown', ...Object.keys(ACCOUNTS)];

const NEW_PASSWORD = 'a wholly different phrase';

const signup = ({ address }) => ({ email: address, password: NEW_PASSWORD });

/** What a caller posts where, with an address and the token of its invitation, and what a stranger does before. */
const REQUESTS = {
  '/auth/login': { body: signup },
  '/auth/login after a signup': { before: true, path: '/auth/login', body: signup },
  '/auth/signup': { body: signup },
  '/auth/signup repeated': { before: true, path: '/auth/signup', body: signup },
  '/auth/signup-org': { body: ({ address }) => ({ ...signup({ address }), org_name: 'Initech' }) },
  '/password/forgot': { body: ({ address }) => ({ email: address }) },
  '/auth/email-code': { body: ({ address }) => ({ email: address }) },
  '/auth/verify-email after a signup': {
    before: true,
    path: '/auth/verify-email',
    body: () => ({ token: token(1), password: NEW_PASSWORD }),
  },
  '/auth/verify-email/resend': { body: ({ address }) => ({ email: address }) },
  '/auth/verify-email/resend after a signup': {
    before: true,
    path: '/auth/verify-email/resend',
    body: ({ address }) => ({ email: address }),
  },
  '/invitations/preview': { body: ({ invitation }) => ({ token: invitation }) },
  '/invitations/accept': { body: ({ invitation }) => ({ token: invitation, password: NEW_PASSWORD }) },
  '/auth/passkey/login with a wrong signature': {
    path: '/auth/passkey/login',
    begin: '/auth/passkey/options',
    body: ({ n, options }) => ({ credential: forgedBy(credentialId(n), options) }),
  },
};

/** What neither mails nor asks for a mail is not measured again while the provider is down. */
const WITHOUT_MAIL = ['/auth/login', '/invitations/preview', '/auth/passkey/login with a wrong signature'];

/**
 * The kind to compare the others with. A person who accepts may learn that there is an account, not its kind. So may one
 * who knows the id of a passkey, which the service tells only the browsers of its owner: `UnknownPasskey` says so.
 */
const OF_ACCOUNTS = ['/invitations/accept', '/auth/passkey/login with a wrong signature'];
const referenceFor = (name) => (OF_ACCOUNTS.includes(name) ? 'known' : 'unknown');

/** The least: the shorter the hash of a password, the more of the time is everything else. */
const COST = 4;

const SETTINGS = {
  // The least cost of a hash is for this machine alone.
  SVC_ENVIRONMENT: 'dev',
  SVC_BASE_WEB_URL: 'http://localhost:5173',
  SVC_BASE_API_URL: 'http://localhost:3000',
  SVC_RATE_LIMITS: 'off',
  SVC_EMAIL_CODE_LOGIN: 'on',
  SVC_BCRYPT_COST: String(COST),
  SVC_LOG_LEVEL: 'error',
  SVC_LOCALES: 'en,ja,ar',
};

/** Of all requests: neither the language of an account nor that of the service. */
const ACCEPT_LANGUAGE = 'ar';

/** What the service runs with: what the mail provider answers, and whether a back end is sent all events. */
const VARIANTS = {
  up: { status: 202 },
  down: { status: 503 },
  'up, events sent': { status: 202, isSentEvents: true },
};

/** How well the time of an answer reveals the account of an address, in each variant. */
export async function measure({ postgres, sizes, report }) {
  const found = [];
  for (const [mail, { status, isSentEvents }] of Object.entries(VARIANTS)) {
    report(`seeding accounts of all kinds, mail ${mail}`);
    const database = await postgres.createDatabase(`latchkey_mail_${mail.replace(/\W+/g, '_')}`, (empty) =>
      seed(empty, sizes.samples),
    );
    const provider = createServer((_, response) => response.writeHead(status).end()).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    const address = `http://127.0.0.1:${provider.address().port}`;
    const settings = {
      ...SETTINGS,
      ...mailsTo(address),
      ...(isSentEvents && eventsTo(`${address}/events`, ['*'])),
    };
    const server = await Server.start({ name: 'latchkey', contender, database }, settings);

    for (const name of Object.keys(REQUESTS)) {
      if (mail === 'down' && WITHOUT_MAIL.includes(name)) continue;
      report(`${name}, mail ${mail}`);
      // The addresses with an account are the same each time, and would have more and more signups.
      await postgres.run(database, 'DELETE FROM signups');
      found.push({ path: name, mail, aucs: await compare(server, name, sizes.samples) });
    }
    await server.stop();
    provider.close();
  }
  return found;
}

export function linesOf(found) {
  const rows = found.map(({ path, mail, aucs }) => [
    `${path}, mail ${mail}`,
    ...Object.keys(ACCOUNTS).map((kind) => aucs[kind]?.toFixed(3) ?? ''),
  ]);
  return [
    'How well the time of an answer reveals whether there is an account: 0.5 is not at all (area under the ROC curve)',
    ...align([['', ...Object.keys(ACCOUNTS)], ...rows]),
    '',
  ];
}

export function goals(found) {
  return found.map(({ path, mail, aucs }) => ({
    goal: `distance from 0.5, ${path}, mail ${mail}`,
    is: Math.max(...Object.values(aucs).map((value) => Math.abs(value - 0.5))),
    most: 0.05,
  }));
}

/** So many accounts of each kind, and an invitation for each of them and for as many addresses without an account. */
async function seed(database, samples) {
  const [, all] = rangeOf(KINDS.at(-1), samples);
  await contender.seed(database, { users: all, sessions: samples });
  await database.query('UPDATE users SET password_hash = $1', [await bcrypt.hash(contender.PASSWORD, COST)]);
  for (const [kind, changes] of Object.entries(ACCOUNTS))
    await database.query(`UPDATE users SET ${changes} WHERE ${IN_RANGE}`, rangeOf(kind, samples));
  await database.query(`DELETE FROM users WHERE ${IN_RANGE}`, rangeOf('unknown', samples));

  await database.query(
    `WITH org AS (INSERT INTO organizations (id, name) VALUES (uuidv7(), 'Initech') RETURNING id)
     INSERT INTO invitations (id, org_id, email, role, token_hash, expires_at)
     SELECT uuidv7(), org.id, bench_email(n), 'member', sha256(bench_token(n)::bytea), now() + '1 day'
       FROM org, generate_series(1, $1::int) n`,
    [all],
  );
  await database.query(
    `INSERT INTO passkeys (id, user_id, rp_id, credential_id, public_key, sign_count, backup_eligible, backed_up, name)
     SELECT uuidv7(), u.id, 'localhost', sha256(('passkey ' || n)::bytea), $2, 0, false, false, 'A key'
       FROM generate_series(1, $1::int) n JOIN users u ON u.id = bench_user_id(n)`,
    [all, someKey()],
  );
}

const sha256 = (text) => createHash('sha256').update(text).digest();
const credentialId = (n) => sha256(`passkey ${n}`).toString('base64url');

/** A public key in the form of COSE (RFC 9052 §7), of ES256. */
function someKey() {
  const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  const bytes = (value) => Buffer.concat([Buffer.from('5820', 'hex'), Buffer.from(value, 'base64url')]);
  const [head, name] = ['a501020326200121', '22'].map((hex) => Buffer.from(hex, 'hex'));
  return Buffer.concat([head, bytes(x), name, bytes(y)]);
}

/** What a browser sends when a passkey has signed, but for the signature, which is none of its key. */
function forgedBy(id, { challenge, rpId }) {
  const clientData = { type: 'webauthn.get', challenge, origin: 'http://localhost:5173', crossOrigin: false };
  const authenticatorData = Buffer.concat([sha256(rpId), Buffer.from([0x05, 0, 0, 0, 0])]);
  const signature = Buffer.from(
    `3044${['0220', '0220'].map((head) => head + '11'.repeat(32)).join('')}`,
    'hex',
  );
  const response = {
    clientDataJSON: Buffer.from(JSON.stringify(clientData)).toString('base64url'),
    authenticatorData: authenticatorData.toString('base64url'),
    signature: signature.toString('base64url'),
    userHandle: Buffer.alloc(16, 7).toString('base64url'),
  };
  return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
}

const IN_RANGE = 'id IN (SELECT bench_user_id(n) FROM generate_series($1::int, $2::int) n)';

/**
 * The numbers of the first and the last address of a kind. All have as many digits, whatever the kind: a longer address
 * takes longer.
 */
function rangeOf(kind, samples) {
  const first = (1 + KINDS.indexOf(kind)) * samples + 1;
  return [first, first + samples - 1];
}

/** The AUC of each kind's times against the reference's, all of them taken one by one in random order. */
async function compare(server, name, samples) {
  const { before = false, begin, path = name, body } = REQUESTS[name];
  const { options, cookie } = begin ? await begun(server.origin + begin) : {};
  const reference = referenceFor(name);
  const kinds = reference === 'known' ? Object.keys(ACCOUNTS) : KINDS;
  const turns = shuffled(
    kinds.flatMap((kind) => Array.from({ length: samples }, (_, turn) => ({ kind, turn }))),
  );
  const times = Object.fromEntries(kinds.map((kind) => [kind, []]));

  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (const { kind, turn } of turns) {
    const n = rangeOf(kind, samples)[0] + turn;
    const address = email(n);
    if (before) await timeOf(`${server.origin}/auth/signup`, agent, JSON.stringify(signup({ address })));
    const sent = JSON.stringify(body({ n, address, invitation: token(n), options }));
    times[kind].push(await timeOf(server.origin + path, agent, sent, cookie));
  }
  agent.destroy();

  const others = kinds.filter((kind) => kind !== reference);
  return Object.fromEntries(others.map((kind) => [kind, auc(times[kind], times[reference])]));
}

/** What a browser is asked with, and the cookie that binds it. An answer that fails leaves both as they are. */
async function begun(url) {
  const answer = await fetch(url, { method: 'POST' });
  const [cookie] = answer.headers.getSetCookie()[0].split(';');
  return { options: (await answer.json()).options, cookie };
}

/** Milliseconds from a request to the end of its answer. */
function timeOf(url, agent, body, cookie) {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'accept-language': ACCEPT_LANGUAGE,
      ...(cookie && { cookie }),
    };
    const sent = request(url, { method: 'POST', agent, headers }, (answer) => {
      if (answer.statusCode >= 500) reject(new Error(`${url} was answered ${answer.statusCode}`));
      answer.resume().on('end', () => resolve(performance.now() - startedAt));
    });
    const startedAt = performance.now();
    sent.on('error', reject).end(body);
  });
}
