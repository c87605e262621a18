import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { publint } from 'publint';
import { compile } from 'svelte/compiler';
import { compileScript, parse } from 'vue/compiler-sfc';
import { previewDocument } from '../../src/cli/openapi.js';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { version } from '../../src/config/version.js';
import { languageTags } from '../../src/words/language-file.js';
import { product } from '../product/notes/product.js';
import { TestApp } from '../support/test-app.js';

const run = promisify(execFile);

/** What a client in an organization adds, where 250 were planned. */
const ORGANIZATIONS = 120;

/** What asking for the access adds, where 400 are planned. */
const ACCESS = 10;

/** What the two operations on the policy of an organization add. */
const POLICY = 10;

/** Bytes, minified and gzipped. The others come on top of the first. */
const MOST = {
  latchkey: 3000 + ORGANIZATIONS + ACCESS,
  react: 2000,
  passkeys: 750,
  server: 450,
  admin: 600 + POLICY,
};

/** The same of the texts of one language, whose letters may take three bytes, and of what says them, which all share. */
const MOST_OF_WORDS = { language: 3400, speaker: 1100 };

/** What the parts beside the first share with it, or with the application. */
const SHARED = ['react', './call.js', './latchkey.js', './problem.js', './session.js'];

/** What the pages of the documents are compiled with, as a product has it. */
const LIBRARIES = ['react', '@types', 'csstype', 'react-router', '@tanstack', 'vue', '@vue', 'svelte'];

/** How a compiler finds a package. The two read the same entries of its manifest, so each compiles other files here. */
const RESOLUTIONS = {
  NodeNext: { module: 'NodeNext', moduleResolution: 'NodeNext' },
  bundler: { module: 'ESNext', moduleResolution: 'bundler' },
};

/** What the documents use of frameworks that are too large to install here, as their references have it. */
const FRAMEWORKS = `
declare module 'next/headers' {
  export function headers(): Promise<Pick<Headers, 'get' | 'has' | 'entries' | 'keys' | 'values' | 'forEach'>>;
}
declare module '@sveltejs/kit' {
  export interface RequestEvent { request: Request; url: URL; locals: App.Locals; cookies: { get(name: string): string | undefined } }
  export type Handle = (input: { event: RequestEvent; resolve(event: RequestEvent): Promise<Response> }) => Promise<Response>;
  export function redirect(status: 300 | 301 | 302 | 303 | 307 | 308, location: string | URL): never;
}
declare module '#imports' {
  export function defineNuxtPlugin<T>(setup: () => T): T;
  export function useRequestHeaders(include: string[]): Record<string, string | undefined>;
  export function useState<T>(key: string, init: () => T): { value: T };
}
interface ImportMeta { server: boolean }
`;

/** What compiles, and after `@ts-expect-error` what must not. */
const USES = `
import { createLatchkey, isProblem, type CodesOf, type Latchkey } from 'latchkey-client';
import { withAdmin } from 'latchkey-client/admin';
import { hasRole, LatchkeyProvider, Protect, useLogin, useOrganization, useSession, useSignup, useUser } from 'latchkey-client/react';
import { loginWithPasskey } from 'latchkey-client/passkeys';
import { clientFor, sessionFrom } from 'latchkey-client/server';
import { mailTo, signUp, tokenOf } from 'latchkey-client/testing';
import { words } from 'latchkey-client/words/en';

interface ProductPaths {
  '/reports': {
    get: {
      parameters: { query: { month: string } };
      responses: {
        200: { content: { 'application/json': { total: number } } };
        404: { content: { 'application/problem+json': { code: 'NotFound' } } };
      };
    };
  };
}

const latchkey = createLatchkey('https://api.example.com', { stepUp: ({ methods }) => methods.length > 0, timeoutMs: 1 });
const product = createLatchkey<ProductPaths>('https://api.example.com');

const answer = await latchkey.login({ email: 'ada@example.com', password: 'secret' });
if ('pending_login' in answer) throw answer.pending_login.methods;
const role: 'readonly' | 'member' | 'org_admin' | 'sys_admin' = answer.user.role;
const nothing: undefined = await latchkey.logout();
const admin = withAdmin(latchkey);
const next: string | null = (await admin.listUsers({ limit: 3, role: 'member' })).next_cursor;
await admin.listUsers();
await admin.logout();
await latchkey.call('GET /users', { limit: 3 });
const ofProduct: number = (await withAdmin(product).call('GET /reports', { month: '2026-11' })).total;
await admin.updateMember({ org_id: 'an id', user_id: 'an id', role: 'readonly' });
await latchkey.updateMe({ name: undefined });
await latchkey.me(undefined, { signal: AbortSignal.timeout(1) });
const name: string | null = (await latchkey.call('GET /users/me')).user.name;
const total: number = (await product.call('GET /reports', { month: '2026-11' })).total;
await product.logout();
await loginWithPasskey(product, { conditional: true });
const session = useSession(product);
if (session.status === 'in') session.user.email;
LatchkeyProvider({ client: product });
Protect({ role: 'org_admin', children: useUser()?.email, fallback: null });
hasRole(useUser(), 'member');
const inOrg = latchkey.in('an id');
const orgName: string = (await inOrg.getOrg()).org.name;
await inOrg.removeMember({ user_id: 'an id' });
await withAdmin(latchkey).in('an id').updateMember({ user_id: 'an id', role: 'readonly' });
const ofOrg: number = (await withAdmin(product).in('an id').call('GET /reports', { month: '2026-11' })).total;
LatchkeyProvider({ client: product.in('an id') });
const inside = useSession(inOrg);
if (inside.status === 'no_member') orgName.length + ofOrg;
// @ts-expect-error: the client says which organization
inOrg.getOrg({ org_id: 'another id' });
// @ts-expect-error: the client says which organization
inOrg.removeMember({ org_id: 'another id', user_id: 'an id' });
// @ts-expect-error: the client says which organization
inOrg.call('GET /orgs/{org_id}', { org_id: 'another id' });
// @ts-expect-error: a client without an organization needs its id
latchkey.getOrg();
const teamName: string | undefined = useOrganization().organization?.name;
const login = useLogin({ resume: true });
if (login.step === 'credentials') await login.logIn({ email: 'ada@example.com', password: 'secret' });
if (login.step === 'second-step') login.pending.methods.includes('passkey');
if (login.step === 'recovery-codes') login.codes.join();
await login.attempt(() => loginWithPasskey(product, { secondStep: true }));
const signup = useSignup({ token: null });
if (signup.step === 'mail-sent') signup.email;
await signup.confirm({ new_password: 'another secret' });
const client: Latchkey = latchkey;
const wait = (code: CodesOf<'login'>): boolean => {
  switch (code) {
    case 'Unreachable':
    case 'TooManyAttempts':
      return true;
    default:
      return code === 'InvalidCredentials';
  }
};
try {
  await latchkey.signup({ email: 'ada@example.com', password: 'secret' });
} catch (error) {
  if (isProblem(error, 'WeakPassword', 'ValidationFailed')) error.errors.map(({ field, messages }) => [field, messages]);
  // @ts-expect-error: there is no such code
  isProblem(error, 'WeekPassword');
}
const initial = await sessionFrom(new Headers(), 'http://localhost:3000');
createLatchkey('http://localhost:3000', { initial });
if (initial.status === 'in') initial.user.email;
withAdmin(clientFor({ headers: { cookie: 'a=b' } }, 'http://localhost:3000')).listUsers();
const ada = await signUp('http://localhost:3000');
const cookie: string | undefined = ada.storageState().cookies[0]?.name;
const token: string = tokenOf(await mailTo('http://localhost:3000', ada.email));
const said: string[] = [words.role(role), words.device((await latchkey.listSessions()).data[0]?.user_agent ?? null)];
if (session.status === 'unreachable') said.push(words.problem(session.problem));
if (login.problem) said.push(words.problem(login.problem), ...login.problem.errors.flatMap(({ reasons }) => reasons.map(words.reason)));
export { client, cookie, name, next, nothing, ofProduct, role, teamName, token, total, wait };

// @ts-expect-error: there is no such operation
latchkey.logIn();
// @ts-expect-error: the password is missing
latchkey.login({ email: 'ada@example.com' });
// @ts-expect-error: there is no such field
latchkey.login({ email: 'ada@example.com', password: 'secret', remember: true });
// @ts-expect-error: an operation that takes nothing
latchkey.logout({ everywhere: true });
// @ts-expect-error: there is no such role
admin.updateMember({ org_id: 'an id', user_id: 'an id', role: 'owner' });
// @ts-expect-error: this is an operation of admins
latchkey.listUsers();
// @ts-expect-error: an id of the path is missing
latchkey.endSession();
// @ts-expect-error: this is in no answer
answer.user.password;
// @ts-expect-error: there is no such route
latchkey.call('GET /auth/login');
// @ts-expect-error: the month is missing
product.call('GET /reports');
// @ts-expect-error: a user is there only when the session is in
session.user;
// @ts-expect-error: there is no such role
Protect({ role: 'owner' });
// @ts-expect-error: a server says loading instead
if (initial.status === 'unreachable') throw initial;
// @ts-expect-error: the codes are there only at their step
login.codes;
// @ts-expect-error: a login has no such step
if (login.step === 'mail-sent') throw login;
// @ts-expect-error: the app or a recovery code is needed
login.completeLogin({ password: 'secret' });
// @ts-expect-error: no operation throws this
wait('WeakPassword');
// @ts-expect-error: there is no such role
words.role('owner');
// @ts-expect-error: there is no such reason
words.reason({ code: 'too_dull' });
// @ts-expect-error: what is no problem has no words
words.problem(new Error('x'));
// @ts-expect-error: there is no such page
latchkey.page('log-in');
`;

/** How a product calls its own routes, with the types made of its document. */
const PRODUCT_USES = `
import { createLatchkey } from 'latchkey-client';
import type { paths } from './api.js';

const latchkey = createLatchkey<paths>('http://localhost:3000');
const org_id = 'an id';
const { note } = await latchkey.call('POST /orgs/{org_id}/notes', { org_id, text: 'Call Ada back' });
const text: string = note.text;
const { data } = await latchkey.call('GET /orgs/{org_id}/notes', { org_id });
const { next_cursor } = await latchkey.call('GET /orgs/{org_id}/notes', { org_id, limit: 3, cursor: undefined });
const author: string | null | undefined = data[0]?.author_id;
const answer = await latchkey.call('POST /auth/login', { email: 'ada@example.com', password: 'secret' });
if ('user' in answer) answer.user.email;
const out: undefined = await latchkey.call('POST /auth/logout');
await latchkey.call('GET /users');
await latchkey.call('PATCH /users/me', { name: null });
await latchkey.call('DELETE /sessions/{id}', { id: 'an id' });
export { author, next_cursor, out, text };

// @ts-expect-error: the text is missing
latchkey.call('POST /orgs/{org_id}/notes', { org_id });
// @ts-expect-error: the organization is missing
latchkey.call('POST /orgs/{org_id}/notes', { text: 'x' });
// @ts-expect-error: a text is no number
latchkey.call('POST /orgs/{org_id}/notes', { org_id, text: 1 });
// @ts-expect-error: there is no such field
latchkey.call('POST /orgs/{org_id}/notes', { org_id, text: 'x', title: 'y' });
// @ts-expect-error: notes cannot be deleted
latchkey.call('DELETE /orgs/{org_id}/notes', { org_id });
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-client-'));
  const tarball = resolve(`dist/client/latchkey-client-${version()}.tgz`);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
  for (const name of LIBRARIES)
    await symlink(resolve('node_modules', name), join(folder, 'node_modules', name));
});
afterAll(() => rm(folder, { recursive: true }));

const installed = (path: string) => join(folder, 'node_modules/latchkey-client', path);

/** What the compiler says of files of a product. */
async function compiled(
  name: string,
  files: Record<string, string>,
  resolution: keyof typeof RESOLUTIONS,
): Promise<string> {
  const place = join(folder, name);
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(place, file)), { recursive: true });
    await writeFile(join(place, file), text);
  }
  const compilerOptions = {
    ...RESOLUTIONS[resolution],
    target: 'ES2023',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    jsx: 'react-jsx',
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    // Those of the frameworks; the client's own are few, and tried by its uses.
    skipLibCheck: true,
    noEmit: true,
  };
  await writeFile(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));
  return run(resolve('node_modules/.bin/tsc'), { cwd: place }).then(
    () => '',
    ({ stdout }) => stdout,
  );
}

describe('the packed client', () => {
  it('has what npm, bundlers and Node ask of a package, and no dependency', async () => {
    const { messages } = await publint({ pkgDir: installed('.'), strict: true });

    expect(messages).toEqual([]);
    const manifest = JSON.parse(await readFile(installed('package.json'), 'utf8'));
    expect(manifest).toMatchObject({ version: version(), license: 'MIT' });
    expect(manifest.dependencies).toBeUndefined();
    expect(existsSync(installed('LICENSE'))).toBe(true);
  });

  it('is installed by npm ci on another machine, as the document says, from the file in the repository', async () => {
    const [here, there] = [join(folder, 'here'), join(folder, 'there')];
    const file = `latchkey-client-${version()}.tgz`;
    const npm = (...words: string[]) => ['--offline', '--no-audit', '--no-fund', ...words];
    await mkdir(join(here, 'vendor'), { recursive: true });
    await cp(resolve('dist/client', file), join(here, 'vendor', file));
    await writeFile(join(here, 'package.json'), '{ "type": "module" }');
    await run('npm', npm('install', `./vendor/${file}`), { cwd: here });
    const [, documented = ''] = /^npm install (\S+)$/m.exec(readFileSync('docs/client.md', 'utf8')) ?? [];
    expect(documented).toBe(`./vendor/${file}`);
    expect(readFileSync(join(here, 'package-lock.json'), 'utf8')).not.toMatch(/localhost|https?:/);

    for (const name of ['package.json', 'package-lock.json', 'vendor'])
      await cp(join(here, name), join(there, name), { recursive: true });
    await rm(here, { recursive: true });
    await run('npm', npm('ci'), { cwd: there });

    const { stdout } = await run(
      'node',
      ['--input-type=module', '-e', `console.log(Object.keys(await import('latchkey-client')).join())`],
      { cwd: there },
    );
    expect(stdout.trim()).toBe('LatchkeyProblem,createLatchkey,isProblem');
  });

  it('compiles with right uses, and not with wrong ones', async () => {
    expect(await compiled('uses', { 'uses.ts': USES }, 'NodeNext')).toBe('');
  });

  it('knows the routes of a product by what openapi-typescript makes of its document', async () => {
    const document = await previewDocument(parseEnvironment({ SVC_ENVIRONMENT: 'dev' }), product);
    // As `npx openapi-typescript` does, without any option.
    const api = astToString(await openapiTS(document as unknown as OpenAPI3));

    expect(await compiled('product', { 'api.d.ts': api, 'uses.ts': PRODUCT_USES }, 'NodeNext')).toBe('');
  });

  it('weighs little', async () => {
    const weights: Record<string, number> = {};
    for (const part of Object.keys(MOST)) {
      const { outputFiles } = await build({
        entryPoints: [installed(`${part}.js`)],
        bundle: true,
        minify: true,
        format: 'esm',
        write: false,
        external: part === 'latchkey' ? [] : SHARED,
      });
      weights[part] = gzipSync(outputFiles[0]?.contents ?? '').length;
    }
    console.log(`latchkey-client, bytes minified and gzipped: ${JSON.stringify(weights)}`);

    for (const [part, most] of Object.entries(MOST))
      expect([part, (weights[part] ?? Infinity) <= most]).toEqual([part, true]);
  });

  it('has the words of each language, which weigh little and share what says them', async () => {
    const weights: Record<string, number> = {};
    const weigh = async (file: string) => {
      const entryPoints = [installed(file)];
      const options = { bundle: true, minify: true, charset: 'utf8', format: 'esm', write: false } as const;
      const { outputFiles } = await build({ ...options, entryPoints, external: ['../speaker.js'] });
      return gzipSync(outputFiles[0]?.contents ?? '').length;
    };
    for (const tag of await languageTags()) weights[tag] = await weigh(`words/${tag}.js`);
    const speaker = await weigh('speaker.js');
    console.log(
      `latchkey-client/words, bytes minified and gzipped: ${JSON.stringify({ speaker, ...weights })}`,
    );

    const heavy = Object.entries(weights).filter(([, weight]) => weight > MOST_OF_WORDS.language);
    expect({ heavy, isLight: speaker <= MOST_OF_WORDS.speaker }).toEqual({ heavy: [], isLight: true });
    const code = `const { words } = await import('latchkey-client/words/en'); console.log(words.language, words.role('org_admin'))`;
    const { stdout } = await run('node', ['--input-type=module', '-e', code], { cwd: folder });
    expect(stdout.trim()).toBe('en Admin');
  });

  it('is what the service offers beside its documentation', async () => {
    const app = await TestApp.start();
    const page = await app.browser().get('/docs');
    const [, address] = /href="(docs\/.*?\.tgz)"/.exec(page.text) ?? [];
    const { status, headers } = await app.browser().get(`/${address}`);
    await app.close();

    expect(address).toBe(`docs/latchkey-client-${version()}.tgz`);
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'application/gzip' });
  });
});

describe('docs/client.md and docs/testing.md', () => {
  const text = ['docs/client.md', 'docs/testing.md'].map((file) => readFileSync(file, 'utf8')).join('\n');
  const blocks = [...text.matchAll(/```\w+\n(?:\/\/|<!--) (\S+\.(\w+))(?: -->)?\n(.*?)```/gs)].map(
    ([, file = '', kind = '', code = '']) => ({ file, kind, code }),
  );

  it('has code that compiles as it stands', async () => {
    const files = blocks.map(({ file, kind, code }) => [
      kind.startsWith('ts') ? file : `${file}.ts`,
      scriptOf(kind, file, code),
    ]);

    expect(blocks.map(({ file }) => file)).toEqual(
      expect.arrayContaining([
        'Login.tsx',
        'App.tsx',
        'Entry.tsx',
        'react-router.tsx',
        'tanstack-router.tsx',
        'Login.vue',
        'Login.svelte',
        'login.ts',
        'step-up.ts',
        'Rename.tsx',
        'app/layout.tsx',
        'app/providers.tsx',
        'src/hooks.server.ts',
        'src/routes/+layout.server.ts',
        'plugins/latchkey.ts',
        'sign-up.ts',
      ]),
    );
    const all = { ...Object.fromEntries(files), 'frameworks.d.ts': FRAMEWORKS };
    expect(await compiled('documented', all, 'bundler')).toBe('');
  });

  /** The TypeScript of a block; a component also has to pass the compiler of its framework. */
  function scriptOf(kind: string, file: string, code: string): string {
    if (kind === 'vue') {
      const { descriptor, errors } = parse(code);
      expect(errors).toEqual([]);
      return compileScript(descriptor, { id: file, inlineTemplate: true }).content;
    }
    if (kind === 'svelte') {
      const { warnings } = compile(code, { filename: file });
      expect(warnings).toEqual([]);
      const [, script = ''] = /<script lang="ts">\n(.*?)<\/script>/s.exec(code) ?? [];
      return `declare function $state<T>(value: T): T;\n${script}\nexport { logIn, session };\n`;
    }
    return code;
  }
});
