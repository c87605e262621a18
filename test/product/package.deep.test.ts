import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { publint } from 'publint';
import { version } from '../../src/config/version.js';
import { Migrations } from '../../src/database/migrations.js';
import { Role } from '../../src/http/role.js';
import { PASSWORD } from '../support/accounts.js';
import { type Run, runProgram } from '../support/command-line.js';
import { crowd, emptyOrg, type Person } from '../support/crowd.js';
import { cookiesOf, send } from '../support/send.js';
import { ServiceProcess, START_PATIENCE_MS } from '../support/service-process.js';
import { TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

const run = promisify(execFile);

const TARBALL = `latchkey-${version()}.tgz`;
const MIGRATION = 'CreateNotes1800000000000';

/** What the product has beside the packages that the service brings or asks for. */
const OWN = ['@types/node', 'undici-types'];

/** The files that docs/product.md shows, by the name in their first line. */
async function documentedFiles(): Promise<Map<string, string>> {
  const text = await readFile('docs/product.md', 'utf8');
  const blocks = text.matchAll(/^```(?:ts|json)\n\/\/ ((?:src\/)?[\w.-]+)\n([\s\S]*?)^```$/gm);
  return new Map([...blocks].map(([, name = '', content = '']) => [name, content]));
}

let folder: string;
let manifest: Record<'dependencies' | 'peerDependencies', Record<string, string>>;
beforeAll(async () => {
  await run('node', ['.ci/package/pack.js']);
  folder = await mkdtemp(join(tmpdir(), 'latchkey-product-'));
  for (const [name, content] of await documentedFiles()) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  await install();
  await run(process.execPath, [resolve('node_modules/typescript/bin/tsc')], { cwd: folder }).catch(
    ({ stdout }) => {
      throw new Error(stdout);
    },
  );
});
afterAll(() => rm(folder ?? '', { recursive: true, force: true }));

/** Unpacks the package as npm does, and links to what it asks for, so that nothing is fetched. */
async function install(): Promise<void> {
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, 'latchkey'), { recursive: true });
  await run('tar', ['-xzf', `dist/${TARBALL}`, '-C', join(modules, 'latchkey'), '--strip-components', '1']);
  manifest = JSON.parse(await readFile(join(modules, 'latchkey/package.json'), 'utf8'));
  for (const name of [...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }), ...OWN]) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(resolve('node_modules', name), join(modules, name));
  }
}

const variables = (database: TestDatabase) => ({
  SVC_ENVIRONMENT: 'dev',
  SVC_DATABASE_URL: database.url,
  SVC_DATABASE_OWNER_URL: database.ownerUrl,
});

const cli = (database: TestDatabase, ...words: string[]): Promise<Run> =>
  runProgram('cli', words, variables(database), folder);

describe('the package', () => {
  it('has two files that can be imported, with types that stand by themselves', async () => {
    const { messages } = await publint({ pkgDir: join(folder, 'node_modules/latchkey'), pack: false });
    expect(messages).toEqual([]);

    await expect(
      run('node', ['--eval', "import('latchkey/dist/src/start/app.js')"], { cwd: folder }),
    ).rejects.toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it('shares its decorators with a product, and asks for nothing but what is in this repository', () => {
    expect(Object.keys(manifest.peerDependencies)).toEqual([
      '@nestjs/common',
      '@nestjs/config',
      '@nestjs/core',
      'class-transformer',
      'class-validator',
      'reflect-metadata',
      'rxjs',
      'typeorm',
    ]);
    expect(Object.keys(manifest.dependencies)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/esbuild|typescript|preact/)]),
    );
  });

  it('brings the pages, the client and the settings, and no source map', async () => {
    const files = await readdir(join(folder, 'node_modules/latchkey'), { recursive: true });

    expect(files).toEqual(
      expect.arrayContaining([
        '.env.example',
        'LICENSE',
        'README.md',
        'dist/pages/names.json',
        'dist/src/ready.js',
      ]),
    );
    expect(files.filter((file) => /\.map$|(main|watch)\.js$/.test(file))).toEqual([]);
  });
});

describe('docs/product.md', () => {
  it('shows the files of test/product/notes', async () => {
    const shown = await documentedFiles();
    const files = await readdir('test/product/notes');

    expect([...shown.keys()].filter((name) => name.startsWith('src/')).sort()).toEqual(
      files.map((file) => `src/${file}`).sort(),
    );
    for (const file of files)
      expect([file, shown.get(`src/${file}`)]).toEqual([
        file,
        await readFile(`test/product/notes/${file}`, 'utf8'),
      ]);
  });
});

describe('a product', () => {
  /** As the service leaves it that knows no product. */
  let unmigrated: TestDatabase;
  let database: TestDatabase;
  let migrated: Run;
  const started: ServiceProcess[] = [];
  beforeAll(async () => {
    [unmigrated, database] = [await TestDatabase.create(), await TestDatabase.create()];
    migrated = await cli(database, 'migrate');
  }, START_PATIENCE_MS);
  afterEach(() => Promise.all(started.splice(0).map((service) => service.kill())));
  afterAll(() => Promise.all([unmigrated.close(), database.close()]));

  async function start(where: TestDatabase, more: Record<string, string> = {}): Promise<ServiceProcess> {
    const service = await ServiceProcess.start(where, more, folder);
    started.push(service);
    return service;
  }

  async function memberOf(orgId: string, role = Role.MEMBER, where = database): Promise<Person> {
    const [person] = await crowd(where, 1, { role, orgId });
    return person as Person;
  }

  it('is migrated by its own command', async () => {
    expect(await cli(unmigrated, 'migrate', '--dry-run')).toMatchObject({
      code: 0,
      lines: expect.arrayContaining([`-- ${MIGRATION}`, 'CREATE SCHEMA notes;']),
    });
    expect(migrated).toMatchObject({ code: 0, lines: [`Migrated: ${MIGRATION}`] });
  });

  it('has a doctor that names its migration while it is missing', async () => {
    const [before, after, withoutProduct] = await Promise.all([
      cli(unmigrated, 'doctor'),
      cli(database, 'doctor'),
      runProgram('cli', ['doctor'], variables(database)),
    ]);

    expect(before).toMatchObject({ code: 1, output: expect.stringContaining('SCHEMA_BEHIND') });
    expect(before.output).toContain(MIGRATION);
    expect(after).toMatchObject({ code: 0, lines: ['Nothing was found.'] });
    expect(withoutProduct.output).toContain(
      `SCHEMA_AHEAD: The database is newer than this version: it has ${MIGRATION}.`,
    );
  });

  it('is known to the other commands, which refuse a database without its tables', async () => {
    const [refused, { code, output }, document] = await Promise.all([
      cli(unmigrated, 'prune', '--dry-run'),
      cli(database, 'prune', '--dry-run'),
      cli(database, 'openapi', join(folder, 'openapi.json')),
    ]);

    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining(MIGRATION) });
    expect({ code, isAhead: output.includes('SCHEMA_AHEAD') }).toEqual({ code: 0, isAhead: false });
    expect(document).toMatchObject({ code: 0 });
    expect(await readFile(join(folder, 'openapi.json'), 'utf8')).toContain('"addNote"');
  });

  it('is served by a role that may not change the schema, with the pages and the client of the service', async () => {
    const service = await start(database);
    const orgId = await emptyOrg(database);
    const { email } = await memberOf(orgId);
    const login = await send('POST', `${service.url}/auth/login`, { body: { email, password: PASSWORD } });
    const cookie = cookiesOf(login);
    const notes = `${service.url}/orgs/${orgId}/notes`;

    const kept = await send('POST', notes, { cookie, body: { text: 'Call Ada back' } });
    expect([kept.status, await kept.json()]).toEqual([
      201,
      { note: { id: expect.any(String), author_id: expect.any(String), text: 'Call Ada back' } },
    ]);
    const stranger = await memberOf(await emptyOrg(database));
    const reader = await memberOf(orgId, Role.READONLY);
    const answers = [
      await send('GET', notes),
      await send('GET', notes, stranger),
      await send('POST', notes, { ...reader, body: { text: 'x' } }),
      await send('POST', notes, { cookie, body: { text: 'x', id: 'mine' } }),
    ];
    expect(
      await Promise.all(
        answers.map(async (answer) => [answer.status, ((await answer.json()) as { code: string }).code]),
      ),
    ).toEqual([
      [401, 'Unauthenticated'],
      [404, 'NotFound'],
      [403, 'InsufficientRole'],
      [400, 'ValidationFailed'],
    ]);
    const document = await (await fetch(`${service.url}/openapi.json`)).json();
    expect(document).toHaveProperty(['paths', '/orgs/{org_id}/notes', 'post', 'operationId'], 'addNote');

    const page = `${service.url}/ui/login`;
    const [script = ''] = /[\w./-]+\/login-\w+\.js/.exec(await (await fetch(page)).text()) ?? [];
    const paths = [script, '/docs', '/docs/swagger-ui.css', `/docs/latchkey-client-${version()}.tgz`];
    const statuses = await Promise.all(paths.map(async (path) => (await fetch(new URL(path, page))).status));
    expect(statuses).toEqual([200, 200, 200, 200]);
    expect(await service.stop()).toBe(0);
  });

  it('runs on the machine of a developer, who is told where everything is', async () => {
    const child = spawn(process.execPath, ['dist/dev.js'], {
      cwd: folder,
      env: { PATH: process.env.PATH, SVC_DATABASE_URL: database.url, SVC_PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    try {
      await until(() => output.includes('Ctrl-C stops'), START_PATIENCE_MS);
      const [, api] = /API {6}(\S+)/.exec(output) ?? [];
      const { status } = await fetch(`${api}/orgs/${await emptyOrg(database)}/notes`);

      expect(status).toBe(401);
      expect(output).toContain('admin@example.com is the first admin');
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  });

  it('gets a migration of the service that is older than its own, with its rows kept', async () => {
    const orgId = await emptyOrg(database);
    await database.rows('DELETE FROM notes.notes');
    await database.rows(`INSERT INTO notes.notes (id, org_id, text) VALUES (gen_random_uuid(), $1, 'x')`, [
      orgId,
    ]);
    const last = new Migrations().names.at(-1) as string;
    const Last = (await new Migrations().load()).at(-1) as new () => { down(runner: object): Promise<void> };
    await new Last().down({ query: (sql: string) => database.rows(sql) });
    await database.rows('DELETE FROM migrations WHERE name = $1', [last]);

    const service = await start(database, { SVC_DATABASE_URL: database.ownerUrl, SVC_LOG_LEVEL: 'info' });

    expect(service.output).toContain(last);
    expect(service.output).not.toContain(MIGRATION);
    expect(await database.value('SELECT count(*)::int FROM notes.notes')).toBe(1);
  });

  it('runs in each of two workers, whose primary migrates', async () => {
    const own = await TestDatabase.create();
    const service = await start(own, {
      SVC_DATABASE_URL: own.ownerUrl,
      SVC_ENVIRONMENT: 'beta',
      SVC_BASE_WEB_URL: 'https://app.initech.com',
      SVC_BASE_API_URL: 'https://api.initech.com',
      SVC_EMAIL_PROVIDER: 'stub',
      SVC_JWT_SECRET_KEY: 'mXn3v7wLkq0Zb5RtYc8uEo2iPa6sDf9g',
      SVC_BCRYPT_COST: '10',
      SVC_LOG_LEVEL: 'info',
      SVC_WORKERS: '2',
    });
    const count = () => service.output.match(/"worker":\d+,"event":"service.started"/g)?.length;
    await until(() => count() === 2);
    const orgId = await emptyOrg(own);
    const person = await memberOf(orgId, Role.MEMBER, own);

    const ask = () =>
      send('GET', `${service.url}/orgs/${orgId}/notes`, { ...person, headers: { connection: 'close' } });
    const answers = await Promise.all(Array.from({ length: 10 }, ask));

    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const answered = () => [...service.output.matchAll(/"worker":(\d+),.*"route":"\/orgs\/:org_id\/notes"/g)];
    await until(() => new Set(answered().map(([, pid]) => pid)).size === 2);
    expect(await service.stop()).toBe(0);
    await own.close();
  });

  it('passes the test of the document', async () => {
    const own = await TestDatabase.create();
    const { stdout } = await run('node', ['--test', '--test-reporter', 'spec', 'dist/notes.spec.js'], {
      cwd: folder,
      env: { PATH: process.env.PATH, SVC_TEST_DATABASE_URL: own.ownerUrl },
    });

    expect(stdout).toMatch(/pass 2\n.*fail 0/);
    await own.close();
  });

  it('does not start with a route that the service has too', async () => {
    await cp(join(folder, 'dist'), join(folder, 'clash/dist'), { recursive: true });
    const file = join(folder, 'clash/dist/notes.controller.js');
    await writeFile(
      file,
      (await readFile(file, 'utf8')).replace("'orgs/:org_id/notes'", "'orgs/:org_id/members'"),
    );

    const { code, output } = await runProgram(
      'main',
      [],
      { ...variables(database), SVC_PORT: '0' },
      join(folder, 'clash'),
    );

    expect(output).toContain("Method 'GET' already declared for route '/orgs/:org_id/members'");
    expect(code).toBe(1);
  });
});
