import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Finding } from '../../src/config/preflight/finding.js';
import { findFreePort } from '../../tools/embedded-postgres/free-port.js';
import { runProgram } from '../support/command-line.js';
import { ServiceProcess } from '../support/service-process.js';
import { TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';
import { describeWhere } from '../support/where.js';

const UNIT = 'docs/deploy/latchkey.service';
const CADDYFILE = 'docs/deploy/Caddyfile';

/** From 0, shut off from everything, to 10. */
const MOST_EXPOSED = 2;

const describeWith = (program: string, arguments_: string[]) => describeWhere(runs(program, arguments_));

describeWith('systemd-analyze', ['--version'])('the unit, by systemd-analyze', () => {
  it('has no fault', () => {
    expect(execFileSync('systemd-analyze', ['verify', UNIT], { encoding: 'utf8', stdio: 'pipe' })).toBe('');
  });

  it('leaves the service little that an attacker in it could use', () => {
    const report = execFileSync('systemd-analyze', ['security', '--offline=true', '--no-pager', UNIT], {
      encoding: 'utf8',
    });
    const [, level] = /Overall exposure level for latchkey.service: ([\d.]+)/.exec(report) ?? [];
    expect(Number(level)).toBeLessThanOrEqual(MOST_EXPOSED);
  });
});

describeWith('caddy', ['version'])('the Caddyfile, by Caddy', () => {
  let folder: string;
  let database: TestDatabase;
  let service: ServiceProcess;
  let caddy: ChildProcess;
  let variables: Record<string, string>;
  let address: string;
  let ca: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-caddy-'));
    database = await TestDatabase.create();
    const [port, servicePort] = [await findFreePort('127.0.0.1'), await findFreePort('127.0.0.1')];
    address = `https://localhost:${port}`;
    ca = join(folder, 'caddy/pki/authorities/local/root.crt');
    variables = {
      SVC_ENVIRONMENT: 'beta',
      SVC_BASE_WEB_URL: 'https://localhost:5173',
      SVC_BASE_API_URL: address,
      SVC_PORT: String(servicePort),
      SVC_TRUSTED_PROXIES: '127.0.0.1',
      SVC_DATABASE_URL: database.url,
      SVC_BCRYPT_COST: '10',
      SVC_SESSION_COOKIE_NAME: '__Host-session',
      SVC_CRON_SECRET: 'Gh4jK1lQwErT7yUiOpAsD3fVbNmZxC6z',
      SVC_METRICS_TOKEN: 'pL9oK8iJ7uH6yG5tF4rD3eS2wA1qZ0xC',
      SVC_JWT_SECRET_KEY: 'mXn3v7wLkq0Zb5RtYc8uEo2iPa6sDf9g',
      SVC_EMAIL_PROVIDER: 'stub',
    };
    service = await ServiceProcess.start(database, variables);
    await writeFile(join(folder, 'Caddyfile'), onThisMachine(await readFile(CADDYFILE, 'utf8'), servicePort));
    caddy = spawn('caddy', ['run', '--config', 'Caddyfile'], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, API_HOST: `localhost:${port}` },
      stdio: 'ignore',
    });
    await until(async () => (await ask('/health/live').catch(() => 0)) === 200);
  });
  afterAll(async () => {
    caddy.kill('SIGKILL');
    await once(caddy, 'exit');
    await service.stop();
    await database.close();
    await rm(folder, { recursive: true });
  });

  it('has no fault as it stands', () => {
    const validated = execFileSync('caddy', ['validate', '--adapter', 'caddyfile', '--config', CADDYFILE], {
      env: { PATH: process.env.PATH, HOME: folder, API_HOST: 'api.example.com' },
      encoding: 'utf8',
      stdio: 'pipe',
    });
    expect(validated).toContain('Valid configuration');
  });

  it('lets doctor find nothing wrong with the deployment', async () => {
    await runProgram('cli', ['prune'], variables);
    const { code, lines } = await runProgram('cli', ['doctor', address, '--json'], {
      ...variables,
      NODE_EXTRA_CA_CERTS: ca,
    });
    const found = JSON.parse(lines.join()).filter((finding: Finding) => finding.code !== 'NODE_END_OF_LIFE');
    expect({ code, found }).toEqual({ code: 0, found: [] });
  });

  it('closes /metrics and /cron to the outside, however the path is written', async () => {
    const bearer = (name: string) => ({ authorization: `Bearer ${variables[name]}` });
    for (const path of ['/metrics', '/METRICS', '/%6Detrics', '//metrics', '/metrics?a', '/./metrics'])
      expect([path, await ask(path, { headers: bearer('SVC_METRICS_TOKEN') })]).toEqual([path, 404]);
    for (const path of ['/cron', '/%63ron', '/cron/'])
      expect([path, await ask(path, { method: 'POST', headers: bearer('SVC_CRON_SECRET') })]).toEqual([
        path,
        404,
      ]);
    const inside = await fetch(`${service.url}/metrics`, { headers: bearer('SVC_METRICS_TOKEN') });
    expect(inside.status).toBe(200);
  });

  it('holds requests while the service is restarted', async () => {
    await service.stop();
    const held = ask('/health/live');
    await service.restart();
    expect(await held).toBe(200);
  });

  /** The status of an answer through Caddy. */
  async function ask(
    path: string,
    { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
  ): Promise<number> {
    const asked = request(new URL(address), { path, method, headers, ca: await readFile(ca) });
    const [answer] = await Promise.race([
      once(asked.end(), 'response'),
      once(asked, 'close').then(() => Promise.reject(new Error('Caddy closed the connection'))),
    ]);
    answer.resume();
    return answer.statusCode;
  }
});

describeWith('script', ['--version'])('make-secrets.sh, at a terminal', () => {
  it('does not show the password that is typed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-typed-'));
    // A shell reads the command, and the path may have a blank.
    const terminal = spawn('script', ['-qec', `'${resolve('docs/deploy/make-secrets.sh')}'`, '/dev/null'], {
      cwd: folder,
    });
    let shown = '';
    terminal.stdout.on('data', (chunk) => {
      shown += chunk;
    });

    // The script asks once it has switched the echo off.
    await until(() => shown.includes('Password of the SMTP user: '));
    terminal.stdin.write('typed by hand\n');
    await once(terminal, 'exit');

    expect(shown).not.toContain('typed by hand');
    expect(await readFile(join(folder, 'secrets/smtp_password'), 'utf8')).toBe('typed by hand\n');
    await rm(folder, { recursive: true });
  });
});

/** The same with a certificate of Caddy's own, which it does not add to those that this machine trusts. */
function onThisMachine(caddyfile: string, servicePort: number): string {
  return caddyfile
    .replace(/^\{$/m, '{\n\tskip_install_trust\n\tadmin off')
    .replace(/issuer acme \{[^}]*\}/, 'issuer internal')
    .replace('dynamic a latchkey 3000', `dynamic a 127.0.0.1 ${servicePort}`);
}

function runs(program: string, words: string[]): boolean {
  try {
    execFileSync(program, words, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
