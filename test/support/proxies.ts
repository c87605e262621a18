import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { generate } from 'selfsigned';
import { findFreePort } from '../../tools/embedded-postgres/free-port.js';
import { until } from './until.js';

const DOCUMENTED = 'docs/backends';

/** What the documents have for one proxy beside its file: the rule by path, and the hosts of organizations. */
async function blocksFor(language: 'nginx' | 'caddyfile'): Promise<{ byPath: string; byHost: string }> {
  const documents = await readFile(`${DOCUMENTED}.md`, 'utf8');
  const blocks = [...documents.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  const [byPath, byHost, ...others] = blocks.flatMap(([, name, text]) => (name === language ? [text] : []));
  if (!byPath || !byHost || others.length > 0) throw new Error(`other blocks of ${language} than known`);
  return { byPath, byHost };
}

/** The hosts of a documented map, with the id of the organization of each. */
export async function hostsOfOrgs(): Promise<[host: string, orgId: string][]> {
  const { byHost } = await blocksFor('nginx');
  return [...byHost.matchAll(/^ *(\S+\.example\.com) +(\S+);$/gm)].map(([, host = '', id = '']) => [
    host,
    id,
  ]);
}

/** Debian puts nginx where only root looks for it. */
const PATH = `${process.env.PATH}:/usr/sbin`;

/** A request as a back end received it. */
export interface Received {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A product's back end, which notes what reaches it. */
export class BackEnd {
  readonly received: Received[] = [];

  private constructor(private readonly server: Server) {
    server.on('request', async (request: IncomingMessage, response) => {
      this.note(request, await text(request));
      response.end('from the back end');
    });
    server.on('upgrade', (request: IncomingMessage, socket) => {
      this.note(request, '');
      socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    });
  }

  static async start(): Promise<BackEnd> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new BackEnd(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private note({ method, url, headers }: IncomingMessage, body: string): void {
    this.received.push({ method, url, headers, body });
  }
}

/** The ports that a proxy is in front of; more than one of the service where it runs as replicas. */
interface Behind {
  service: number[];
  backEnd: number;
  /** Whether the host names the organization of a request, and not a header. */
  isByHost?: boolean;
}

/** How a proxy is started with the configuration from the documents: how it is named there, written down and run. */
interface Program {
  name: string;
  version: string | null;
  configure: (folder: string, port: number, behind: Behind) => Promise<string[]>;
}

/** Writes a configuration that stands in the http block, and says how nginx is run with it. */
async function runNginx(folder: string, http: string): Promise<string[]> {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const main = `
      ${process.getuid?.() === 0 ? 'user root;' : ''}
      daemon off; pid nginx.pid; error_log stderr;
      events { worker_connections 8192; }
      http { keepalive_requests 1000000; ${temporary.map((name) => `${name}_temp_path ${name};`).join(' ')} ${http} }`;
  await writeFile(join(folder, 'main.conf'), main);
  return ['nginx', '-p', folder, '-c', join(folder, 'main.conf'), '-e', 'stderr'];
}

/** A stricter rule for a part of the back end, as an operator adds it beside the documented one. */
const STRICTER = {
  nginx: `
    location = /_admin {
      internal;
      proxy_pass http://latchkey/sessions/verify?org=header&min_role=sys_admin;
      include verify_params;
    }
    location /v1/admin/ {
      auth_request /_admin;
      include identity_params;
      proxy_pass http://backend;
    }`,
  caddy: `
    handle /v1/admin/* {
      forward_auth 127.0.0.1:3000 {
        uri /sessions/verify?org=header&min_role=sys_admin
        import identity
      }
      import backend
    }`,
};

const nginx: Program = {
  name: 'nginx',
  version: versionOf('nginx', '-v'),
  configure: async (folder, port, { service, backEnd, isByHost = false }) => {
    const { byPath, byHost } = await blocksFor('nginx');
    const hosts = (await hostsOfOrgs()).map(([host]) => host);
    for (const file of ['verify_params', 'identity_params'])
      await copyFile(join(DOCUMENTED, file), join(folder, file));
    const servers = service.map((each) => `server 127.0.0.1:${each};`).join(' ');
    const documented = (await readFile(join(DOCUMENTED, 'nginx.conf'), 'utf8'))
      .replace('location /v1/ {', () => `${STRICTER.nginx}\n${byPath}\nlocation /v1/ {`)
      .replace('server 127.0.0.1:3000;', servers)
      .replace('127.0.0.1:8080', `127.0.0.1:${backEnd}`)
      .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
      .replaceAll('/var/log/nginx/', '');
    const changed = documented
      .replace('server {', () => `${byHost}\nserver {`)
      .replace('server_name app.example.com', `$& ${hosts.join(' ')}`)
      .replaceAll('org=header', () => 'org=$org_of_host');
    return runNginx(folder, isByHost ? changed : documented);
  },
};

const caddy: Program = {
  name: 'Caddy',
  version: versionOf('caddy', 'version'),
  configure: async (folder, port, { service, backEnd, isByHost = false }) => {
    const { byPath, byHost } = await blocksFor('caddyfile');
    const hosts = ['app.example.com', ...(await hostsOfOrgs()).map(([host]) => host)];
    const sites = isByHost ? hosts.map((host) => `http://${host}:${port}`) : [`http://:${port}`];
    const documented = (await readFile(join(DOCUMENTED, 'Caddyfile'), 'utf8'))
      .replace('handle /v1/* {', () => `${STRICTER.caddy}\n${byPath}\nhandle /v1/* {`)
      .replaceAll('127.0.0.1:3000', service.map((each) => `127.0.0.1:${each}`).join(' '))
      .replace('127.0.0.1:8080', `127.0.0.1:${backEnd}`)
      .replace('{\n', `{\n\tadmin off\n`)
      .replace(
        'app.example.com {',
        () => `${sites.join(', ')} {\n\tbind 127.0.0.1${isByHost ? `\n${byHost}` : ''}`,
      )
      .replaceAll('org=header', isByHost ? 'org={org_of_host}' : 'org=header');
    const file = join(folder, 'Caddyfile');
    await writeFile(file, documented);
    return ['caddy', 'run', '--adapter', 'caddyfile', '--config', file];
  },
};

export const PROGRAMS = [nginx, caddy] as const;

/** Where the nginx for replicas keeps its certificate, which is for localhost. */
export const CERTIFICATE = 'localhost.crt';

/**
 * The nginx of docs/deploy in front of replicas, with its configuration changed as an operator may have done. Without
 * TLS for what sends many requests, each of which would begin it anew.
 */
export function nginxForReplicas(
  change = (documented: string) => documented,
  { hasTls = true } = {},
): Program {
  return {
    ...nginx,
    configure: async (folder, port, { service }) => {
      const replicas = service.map((each) => `server 127.0.0.1:${each} max_fails=0;`).join(' ');
      await writeCertificate(folder);
      const documented = (await readFile('docs/deploy/nginx.conf', 'utf8'))
        .replace(/(\n *server 10\.[^;]+;)+/, `\n${replicas}`)
        .replace('listen 443 ssl', `listen 127.0.0.1:${port} ${hasTls ? 'ssl' : ''}`)
        .replaceAll('/etc/nginx/api.example.com', join(folder, 'localhost'))
        .replaceAll('/var/log/nginx/', '');
      return runNginx(folder, change(documented));
    },
  };
}

async function writeCertificate(folder: string): Promise<void> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  await writeFile(join(folder, CERTIFICATE), cert);
  await writeFile(join(folder, 'localhost.key'), key);
}

/** A proxy in front of a back end and the service, as the documents configure it. */
export class ForwardingProxy {
  private constructor(
    readonly port: number,
    private readonly child: ChildProcess,
    /** Where it keeps its configuration and its logs. */
    readonly folder: string,
    private readonly log: () => string,
  ) {}

  /** Resolves once it takes connections. */
  static async start(program: Program, behind: Behind): Promise<ForwardingProxy> {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-proxy-'));
    const port = await findFreePort('127.0.0.1');
    const [command = '', ...args] = await program.configure(folder, port, behind);
    const child = spawn(command, args, { env: { PATH, HOME: folder }, stdio: ['ignore', 'ignore', 'pipe'] });
    let log = '';
    child.stderr.on('data', (chunk) => {
      log += chunk;
    });
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`${program.name} did not start: ${log}`);
      return takesConnections(port);
    });
    return new ForwardingProxy(port, child, folder, () => log);
  }

  /** Resolves with what it wrote about itself. */
  async stop(): Promise<string> {
    this.child.kill('SIGTERM');
    await once(this.child, 'close');
    const errors = await readFile(join(this.folder, 'error.log'), 'utf8').catch(() => '');
    await rm(this.folder, { recursive: true });
    return this.log() + errors;
  }
}

async function takesConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isTaken = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isTaken;
}

function versionOf(program: string, argument: string): string | null {
  const { error, stdout, stderr } = spawnSync(program, [argument], {
    encoding: 'utf8',
    env: { PATH },
  });
  return error ? null : (/\d+\.\d+\.\d+/.exec(stdout + stderr)?.[0] ?? null);
}
