import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { EmbeddedPostgres } from '../../tools/embedded-postgres/embedded-postgres.js';
import { itWhere } from '../support/where.js';
import { compileEmbeddedProcess, EmbeddedProcess } from './embedded-process.js';

const isRoot = process.getuid?.() === 0;

let temporary: string;
let program: string;

beforeAll(async () => {
  temporary = await realpath(await mkdtemp(join(tmpdir(), 'latchkey-embedded-')));
  // The server's account must get through when we are root; the one test of a closed folder closes its own.
  await chmod(temporary, 0o755);
  await mkdir(join(temporary, 'program'));
  program = await compileEmbeddedProcess(join(temporary, 'program'));
});

afterAll(() => rm(temporary, { recursive: true, force: true }));

describe('EmbeddedPostgres', () => {
  it('starts one server for all who start at once', async () => {
    const [first, second, other] = await Promise.all([
      start('data'),
      start('data'),
      EmbeddedProcess.start(program, join(temporary, 'data')),
    ]);

    expect(second.url).toBe(first.url);
    expect(other.url).toBe(first.url);
    await Promise.all([first.stop(), second.stop(), other.stop()]);
    expect(await isRunning(first)).toBe(false);
  });

  it('keeps the data for the next start', async () => {
    const first = await start('data');
    await query(first.url, 'CREATE TABLE notes AS SELECT $1 AS note', ['still here']);
    await first.stop();

    const second = await start('data');
    expect(await query(second.url, 'SELECT note FROM notes')).toEqual([{ note: 'still here' }]);
    await second.stop();
  });

  it('listens on loopback only, speaks UTF-8 and keeps time in UTC', async () => {
    const server = await start('data');

    expect(await query(server.url, SETTINGS)).toEqual([
      { addresses: '127.0.0.1', sockets: '', encoding: 'UTF8', timezone: 'UTC' },
    ]);
    await server.stop();
  });

  it('refuses a wrong password', async () => {
    const server = await start('data');
    const url = new URL(server.url);
    url.password = 'wrong';

    await expect(query(url.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
    await server.stop();
  });

  it('keeps the server for another process when the one that started it stops', async () => {
    const server = await start('data');
    const other = await EmbeddedProcess.start(program, join(temporary, 'data'));

    await server.stop();
    expect(await query(other.url, 'SELECT 1 AS answer')).toEqual([{ answer: 1 }]);
    await other.stop();
    expect(await isRunning(server)).toBe(false);
  });

  it('joins the server that a killed process left behind, and stops it', async () => {
    const killed = await EmbeddedProcess.start(program, join(temporary, 'data'));
    await killed.kill();

    const server = await start('data');
    expect(server.url).toBe(killed.url);
    await server.stop();
    expect(await isRunning(server)).toBe(false);
  });

  it('starts again after the server was killed', async () => {
    const killed = await start('data');
    process.kill(await postmasterPid(killed), 'SIGKILL');

    const server = await start('data');
    expect(await query(server.url, 'SELECT 1 AS answer')).toEqual([{ answer: 1 }]);
    await killed.stop();
    await server.stop();
  });

  it('starts when the process id of a crashed server belongs to another program now', async () => {
    const data = join(temporary, 'data', 'cluster', 'data');
    await writeFile(join(data, 'postmaster.pid'), [process.pid, data, 0, 1, '', '', '', 'ready'].join('\n'));

    const server = await start('data');
    expect(await query(server.url, 'SELECT 1 AS answer')).toEqual([{ answer: 1 }]);
    await server.stop();
  });

  it('reports the end of the log of a server that does not start', async () => {
    const settings = { shared_buffers: 'plenty' };

    await expect(EmbeddedPostgres.start({ dataDir: join(temporary, 'data'), settings })).rejects.toThrow(
      'invalid value for parameter "shared_buffers": "plenty"',
    );
  });

  it('names the folder of data that another major version made', async () => {
    const cluster = join(temporary, 'old', 'cluster');
    await mkdir(join(cluster, 'data'), { recursive: true });
    await writeFile(join(cluster, 'data', 'PG_VERSION'), '9\n');

    await expect(start('old')).rejects.toThrow(`${cluster} was made by PostgreSQL 9`);
  });

  // No other user could give the folder to the server's account.
  itWhere(isRoot)('works for root in a folder that no other user may enter', async () => {
    await mkdir(join(temporary, 'closed'), { mode: 0o700 });

    const server = await start('closed/data');
    expect(await query(server.url, 'SELECT 1 AS answer')).toEqual([{ answer: 1 }]);
    await server.stop();
    await rm(server.folder, { recursive: true });
  });
});

const SETTINGS = `SELECT current_setting('listen_addresses') AS addresses,
                         current_setting('unix_socket_directories') AS sockets,
                         current_setting('server_encoding') AS encoding,
                         current_setting('timezone') AS timezone`;

function start(folder: string): Promise<EmbeddedPostgres> {
  return EmbeddedPostgres.start({ dataDir: join(temporary, folder), settings: { fsync: 'off' } });
}

async function query(url: string, sql: string, values: unknown[] = []): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** The server removes its postmaster.pid with its last breath. */
function isRunning(server: EmbeddedPostgres): Promise<boolean> {
  return postmasterPid(server).then(
    () => true,
    () => false,
  );
}

async function postmasterPid(server: EmbeddedPostgres): Promise<number> {
  const content = await readFile(join(server.folder, 'cluster', 'data', 'postmaster.pid'), 'utf8');
  return Number(content.split('\n')[0]);
}
