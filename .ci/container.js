import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** The users of the base image that a service may run as. */
const UNPRIVILEGED = { node: { uid: 1000, gid: 1000 } };

const POLL_INTERVAL_MS = 200;

/** The command of an image, run as an engine would run it: unprivileged, and with nothing but its own variables. */
export class Container {
  constructor({ command, healthcheck, user, folder, env }, settings) {
    const variables = { PATH: process.env.PATH, ...env, ...settings };
    this.options = {
      cwd: folder,
      env: variables,
      stdio: ['ignore', 'inherit', 'inherit'],
      ...accountOf(user),
    };
    this.healthcheck = healthcheck;

    const [program, ...words] = command;
    this.process = spawn(program, words, this.options);
  }

  /** Whether the HEALTHCHECK passes. */
  isHealthy() {
    const [program, ...words] = this.healthcheck;
    return spawnSync(program, words, this.options).status === 0;
  }

  async untilHealthy(milliseconds) {
    const deadline = performance.now() + milliseconds;
    while (!this.isHealthy()) {
      if (this.process.exitCode !== null) throw new Error(`the service ended with ${this.process.exitCode}`);
      if (performance.now() > deadline) throw new Error(`not healthy within ${milliseconds} ms`);
      await sleep(POLL_INTERVAL_MS);
    }
  }

  /** Sends SIGTERM, as `docker stop` does, and returns the code of the exit. */
  async stop() {
    const exited = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    const [code, signal] = await exited;
    return code ?? signal;
  }

  kill() {
    this.process.kill('SIGKILL');
  }
}

/** Who is not root cannot become anybody else, and is unprivileged already. */
function accountOf(user) {
  if (!(user in UNPRIVILEGED)) throw new Error(`the image must not run as ${user ?? 'root'}`);
  return process.getuid() === 0 ? UNPRIVILEGED[user] : {};
}
