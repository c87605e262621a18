import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress } from '../support/accounts.js';
import { IdentityProvider } from '../support/identity-provider.js';
import { cookiesOf, send } from '../support/send.js';
import { DEPLOYED, ServiceProcess } from '../support/service-process.js';
import { TestDatabase } from '../support/test-database.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-bundle-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes down, when a process ends, which files of packages it has loaded. */
const NOTE_WHAT_WAS_LOADED = `
  import { writeFileSync } from 'node:fs';
  import { createRequire } from 'node:module';
  const { cache } = createRequire('/');
  process.on('exit', () => {
    writeFileSync(process.env.LOADED, JSON.stringify(Object.keys(cache)));
  });`;

/** The OpenAPI document as a built program writes it: every class of a problem, of a body and of a route is named in it. */
function document(program: string): string {
  const file = join(folder, 'openapi.json');
  execFileSync(process.execPath, [program, 'openapi', file], { env: { SVC_ENVIRONMENT: 'dev' } });
  return readFileSync(file, 'utf8');
}

/** Packages of a file or two, which others ask for that are not in the bundle. */
const OF_A_FILE = ['cookie', 'ms', 'passport-strategy', 'reflect-metadata', 'tslib', 'utils-merge'];

/** The code of the bundle. */
const bundled = () =>
  readdirSync('dist/bundle')
    .map((name) => readFileSync(join('dist/bundle', name), 'utf8'))
    .join('\n');

describe('the bundle', () => {
  it('is loaded whole, and nothing else is done, where --warm asks for it', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/main.js', '--warm'], {
      encoding: 'utf8',
      env: {},
    });

    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('has the code of packages as it was published', () => {
    const named = bundled()
      .split(/^\/\/ (?=node_modules\/)/m)
      .slice(1);

    expect(named.filter((code) => code.split(/^\/\/ dist\//m)[0]?.includes('static name = "'))).toEqual([]);
  });

  it('serves the same contract as the files it was made of', () => {
    expect(document('dist/cli.js')).toBe(document('dist/src/cli.js'));
  });

  it('writes no line of the framework into the log, whose parts it tells apart by their names', async () => {
    const service = await ServiceProcess.start(await TestDatabase.create(), { SVC_LOG_LEVEL: 'info' });
    await service.stop();

    expect(service.output).toContain('service.started');
    expect(service.output).not.toContain('nest.logged');
  });

  it('says which commit it was made of', async () => {
    const service = await ServiceProcess.start(await TestDatabase.create(), { SVC_LOG_LEVEL: 'info' });
    await service.stop();

    expect(service.output).toMatch(/"commit":"[0-9a-f]{40}"/);
  });

  it('loads no larger package a second time', async () => {
    const file = join(folder, 'loaded.json');
    const service = await ServiceProcess.start(await TestDatabase.create(), {
      ...DEPLOYED,
      LOADED: file,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(NOTE_WHAT_WAS_LOADED)}`,
    });
    await service.stop();

    const loaded: string[] = JSON.parse(readFileSync(file, 'utf8'));
    const packages = loaded.flatMap((name) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(name)?.[1] ?? []);
    const twice = packages.filter((name) => bundled().includes(`// node_modules/${name}/`));
    expect(packages).toContain('bcrypt');
    expect([...new Set(twice)].sort()).toEqual(OF_A_FILE);
  });

  it('logs a user in through a provider, although a part of Passport stays a package', async () => {
    const provider = await IdentityProvider.start();
    const service = await ServiceProcess.start(await TestDatabase.create(), {
      ...provider.variables,
      SVC_BASE_API_URL: new URL(provider.callback).origin,
    });

    const begun = await send('GET', `${service.url}/auth/oauth/idp/authorize-url`);
    const { authorization_url } = (await begun.json()) as { authorization_url: string };
    const who = { sub: 'ada', email: freshAddress(), email_verified: true };
    const callback = await provider.authorize(authorization_url, who);
    const landed = await send('GET', `${service.url}${callback}`, { cookie: cookiesOf(begun) });

    await service.stop();
    await provider.stop();

    expect(landed.headers.get('location')).toBe('http://localhost:3000/ui/');
    expect(cookiesOf(landed)).toContain('session_id=');
  });

  it('keeps the name of every class, whatever esbuild calls its variable', () => {
    const names = new Set(bundled().match(/(?<=static name = ")\w+/g));

    const sources = readdirSync('dist/src', { recursive: true, encoding: 'utf8' });
    const declared = sources
      .filter((name) => name.endsWith('.entity.js') || name.endsWith('errors.js'))
      .flatMap((name) => [
        ...readFileSync(join('dist/src', name), 'utf8').matchAll(/^(?:export |let \w+ = )*class (\w+)/gm),
      ])
      .map(([, name]) => name);

    expect(declared.length).toBeGreaterThan(60);
    expect(declared.filter((name) => !names.has(name as string))).toEqual([]);
  });
});
