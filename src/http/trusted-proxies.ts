import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Environment } from '../config/environment.js';
import { addressOfNode, withoutZone } from './forwarded-node.js';

const FORWARDED_FOR = 'x-forwarded-for';

/** Whether the service knows the addresses of its clients: the settings name the proxies in front, or say that there are none. */
export function knowsClients({ environment, trustedProxies }: Environment): boolean {
  return environment === 'dev' || trustedProxies !== undefined;
}

/** The proxies in front of the service, whose X-Forwarded-For, X-Request-Id and traceparent it believes. */
export class TrustedProxies {
  private readonly blocks = new BlockList();

  /** A check takes microseconds, and a connection carries many requests. */
  private readonly known = new WeakMap<Socket, boolean>();

  constructor(private readonly environment: Environment) {
    for (const block of environment.trustedProxies ?? []) {
      const [address = '', prefix] = block.split('/');
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      // Node's own, since the one that comes with Fastify throws at a prefix of 0.
      if (prefix === undefined) this.blocks.addAddress(address, family);
      else this.blocks.addSubnet(address, Number(prefix), family);
    }
  }

  /** What Fastify asks for each address on the way of a request. */
  get fastifyOption(): false | ((address: string | undefined) => boolean) {
    return (this.environment.trustedProxies ?? []).length > 0 && ((address) => this.include(address));
  }

  /** Whether the connection of a request comes from one of them. */
  haveSent({ socket }: IncomingMessage): boolean {
    const known = this.known.get(socket);
    if (known !== undefined) return known;
    const isTrusted = this.include(socket.remoteAddress);
    this.known.set(socket, isTrusted);
    return isTrusted;
  }

  /**
   * Returns what reduces the X-Forwarded-For of a request to the addresses that are believed, of which Fastify takes the
   * first for the client's. A client whose proxy names no address has that of the proxy: counted as one, the clients of
   * all such proxies could be locked out by any of them. What an operator has to mend is logged once. In `dev` no limit
   * depends on it.
   */
  reader(log: Logger): (request: FastifyRequest) => void {
    const warnOnce = onceEach(this.environment.environment === 'dev' ? () => {} : warning(log));
    return ({ raw }) => {
      const header = raw.headers[FORWARDED_FOR];
      if (header === undefined) return;
      if (!this.haveSent(raw)) return warnOnce('PROXY_UNNAMED', raw.socket.remoteAddress);

      const { addresses, silentProxy } = this.believed(String(header), raw.socket.remoteAddress);
      raw.headers[FORWARDED_FOR] = addresses.reverse().join(', ');
      if (silentProxy !== undefined) warnOnce('FORWARDED_FOR_UNREADABLE', silentProxy);
    };
  }

  /** How a request arrived, as its peer told it; the silent proxy is the one that named no address of its client. */
  arrivalOf(raw: IncomingMessage) {
    const lines = raw.rawHeaders.filter(
      (_, index, all) => index % 2 === 1 && all[index - 1]?.toLowerCase() === FORWARDED_FOR,
    );
    const { silentProxy = null } = this.believed(lines.join(), raw.socket.remoteAddress);
    return {
      peer: raw.socket.remoteAddress,
      is_peer_named: this.haveSent(raw),
      forwarded_for: lines.length === 0 ? null : lines.join(', '),
      silent_proxy: silentProxy,
    };
  }

  /** The addresses from the last proxy's back to the client's, and the proxy that named none, if there is one. */
  private believed(header: string, peer = '') {
    const addresses: string[] = [];
    let sender = peer;
    for (const element of header.split(',').reverse()) {
      if (element.trim() === '') continue;
      if (!this.include(sender)) break;
      const address = addressOfNode(element.trim());
      if (address === null) return { addresses, silentProxy: sender };
      addresses.push(address);
      sender = address;
    }
    return { addresses };
  }

  /** A peer that hung up has no address, and that of a link may end with its zone. */
  private include(address = ''): boolean {
    const plain = withoutZone(address);
    const version = isIP(plain);
    return version !== 0 && this.blocks.check(plain, version === 6 ? 'ipv6' : 'ipv4');
  }
}

const DOUBTS = {
  PROXY_UNNAMED: {
    says: (address: string) =>
      `Requests come with X-Forwarded-For from ${address}, which SVC_TRUSTED_PROXIES does not name: all clients count as one.`,
    fix: 'Name it there if it is your proxy; a client that came without one may have made the header up.',
  },
  FORWARDED_FOR_UNREADABLE: {
    says: (address: string) =>
      `The proxy ${address} sends an X-Forwarded-For that ends with no address: all its clients count as one.`,
    fix: 'Have it send the address of the client, with or without a port.',
  },
};

type Doubt = keyof typeof DOUBTS;

function warning(log: Logger) {
  return (code: Doubt, address = 'a peer that is gone'): void => {
    const { says, fix } = DOUBTS[code];
    log.warn({ event: 'setting.doubtful', code, fix }, says(address));
  };
}

/** Every request would repeat it. */
function onceEach(warn: (code: Doubt, address?: string) => void): typeof warn {
  const said = new Set<Doubt>();
  return (code, address) => {
    if (said.has(code)) return;
    said.add(code);
    warn(code, address);
  };
}
