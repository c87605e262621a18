import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Environment } from '../config/environment.js';

/** The proxies in front of the service, whose X-Forwarded-For, X-Request-Id and traceparent it believes. */
export class TrustedProxies {
  private readonly blocks = new BlockList();

  /** A check takes microseconds, and a connection carries many requests. */
  private readonly known = new WeakMap<Socket, boolean>();

  constructor(private readonly environment: Environment) {
    for (const block of environment.trustedProxies) {
      const [address = '', prefix] = block.split('/');
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      // Node's own, since the one that comes with Fastify throws at a prefix of 0.
      if (prefix === undefined) this.blocks.addAddress(address, family);
      else this.blocks.addSubnet(address, Number(prefix), family);
    }
  }

  /** What Fastify asks for each address on the way of a request. */
  get fastifyOption(): false | ((address: string | undefined) => boolean) {
    return this.environment.trustedProxies.length > 0 && ((address) => this.include(address));
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
   * Returns what warns of a proxy that is not named, once, at the first request that comes through it. In `dev` no
   * limit depends on it.
   */
  warner(log: Logger): (request: FastifyRequest) => void {
    let isWatching = this.environment.environment !== 'dev';
    return (request) => {
      if (!isWatching || request.headers['x-forwarded-for'] === undefined || this.haveSent(request.raw))
        return;
      isWatching = false;
      const address = request.raw.socket.remoteAddress;
      log.warn(
        {
          event: 'setting.doubtful',
          code: 'PROXY_UNNAMED',
          fix: 'Name it there if it is your proxy; a client that came without one may have made the header up.',
        },
        `Requests come with X-Forwarded-For from ${address}, which SVC_TRUSTED_PROXIES does not name: all clients count as one.`,
      );
    };
  }

  /** A peer that hung up has no address, and that of a link may end with its zone. */
  private include(address = ''): boolean {
    const [plain = ''] = address.split('%');
    const version = isIP(plain);
    return version !== 0 && this.blocks.check(plain, version === 6 ? 'ipv6' : 'ipv4');
  }
}
