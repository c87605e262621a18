import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../dist/tools/embedded-postgres/free-port.js';

const DOCUMENTED = join(import.meta.dirname, '..', '..', 'docs', 'backends');

/** Debian puts nginx where only root looks for it. */
const PATH = `${process.env.PATH}:/usr/sbin`;

export const HAS_NGINX = !spawnSync('nginx', ['-v'], { env: { PATH } }).error;

/** nginx as the documents configure it, with a back end behind the check, and the same one at /open/ without it. */
export class Nginx {
  #child;
  #folder;

  static async inFrontOf(service, backEnd) {
    const nginx = new Nginx();
    nginx.#folder = await mkdtemp(join(tmpdir(), 'latchkey-bench-nginx-'));
    const port = await findFreePort('127.0.0.1');
    nginx.origin = `http://127.0.0.1:${port}`;
    await nginx.#configure(port, service, backEnd);
    nginx.#child = spawn(
      'nginx',
      ['-p', nginx.#folder, '-c', join(nginx.#folder, 'main.conf'), '-e', 'stderr'],
      {
        env: { PATH },
        stdio: 'ignore',
      },
    );
    while (!(await fetch(nginx.origin).catch(() => null))) await sleep(20);
    return nginx;
  }

  async stop() {
    this.#child.kill('SIGTERM');
    await once(this.#child, 'exit');
    await rm(this.#folder, { recursive: true });
  }

  async #configure(port, service, backEnd) {
    for (const file of ['verify_params', 'identity_params'])
      await copyFile(join(DOCUMENTED, file), join(this.#folder, file));
    const documented = (await readFile(join(DOCUMENTED, 'nginx.conf'), 'utf8'))
      .replace('127.0.0.1:3000', new URL(service.origin).host)
      .replace('127.0.0.1:8080', new URL(backEnd.origin).host)
      .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
      .replace(
        'location /v1/ {',
        `location /open/ { include identity_params; proxy_pass http://backend; } location /v1/ {`,
      );
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    await writeFile(
      join(this.#folder, 'main.conf'),
      `${process.getuid() === 0 ? 'user root;' : ''}
       daemon off; pid nginx.pid; error_log stderr;
       events { worker_connections 1024; }
       http { access_log off; keepalive_requests 1000000;
              ${temporary.map((name) => `${name}_temp_path ${name};`).join(' ')} ${documented} }`,
    );
  }
}
