import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../dist/tools/embedded-postgres/free-port.js';

const PROGRAM = join(import.meta.dirname, 'serve.js');
const START_TIMEOUT_MS = 30_000;
const POLL_INTERVAL_MS = 5;

const running = new Set();

// However the bench ends, its servers end with it.
process.on('exit', () => {
  for (const server of running) server.kill();
});

/** A contender's server, in a process of its own on loopback. */
export class Server {
  #child;
  #log;

  /** Starts it, and waits for its first answer. `settings` are Latchkey's, beyond its production ones. */
  static async start({ name, contender, database }, settings = {}) {
    const server = new Server();
    const port = await findFreePort('127.0.0.1');
    server.name = name;
    server.contender = contender;
    server.database = database;
    server.origin = `http://127.0.0.1:${port}`;
    server.url = `${server.origin}/users/me`;

    const startedAt = performance.now();
    server.#spawn(name, { databaseUrl: database.url, port, settings });
    await server.#answers();
    server.startMs = performance.now() - startedAt;
    return server;
  }

  get pid() {
    return this.#child.pid;
  }

  /** The status and the body of a session's check. */
  async check(token) {
    const answer = await fetch(this.url, { headers: { cookie: this.contender.cookie(token) } });
    return { status: answer.status, body: await answer.text() };
  }

  async stop() {
    const exit = this.#hasExited() || once(this.#child, 'exit');
    this.kill();
    await exit;
  }

  kill() {
    this.#child.kill('SIGKILL');
    rmSync(this.#log, { force: true });
    running.delete(this);
  }

  /** Started away from the checkout, whose .env is not the bench's business; its log goes to a file. */
  #spawn(name, options) {
    this.#log = join(tmpdir(), `latchkey-bench-${options.port}.log`);
    const log = openSync(this.#log, 'w');
    const flags = this.contender.nodeFlags ?? [];
    this.#child = spawn(process.execPath, [...flags, PROGRAM, name, JSON.stringify(options)], {
      cwd: tmpdir(),
      env: { PATH: process.env.PATH, NODE_ENV: 'production' },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    running.add(this);
  }

  async #answers() {
    const deadline = performance.now() + START_TIMEOUT_MS;
    while (performance.now() < deadline && !this.#hasExited()) {
      if (await fetch(this.url).catch(() => null)) return;
      await sleep(POLL_INTERVAL_MS);
    }
    const lastWords = readFileSync(this.#log, 'utf8').trim().slice(-500);
    await this.stop();
    throw new Error(`it did not start: ${lastWords}`);
  }

  #hasExited() {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}
