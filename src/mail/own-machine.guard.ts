import type { IncomingMessage } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isPrivate } from '../config/near-hosts.js';
import { NotFound } from '../http/errors.js';
import { OpenWhen } from '../http/route.js';

/** What proxies add to a request that they pass on. */
const FORWARDED =
  /^(x-forwarded-.+|x-real-ip|forwarded|via|(cf-connecting|true-client|x-client|x-cluster-client|fastly-client|fly-client)-ip|cf-ray|cdn-loop|x-envoy-.+|x-amzn-trace-id)$/;

/** Only a developer's own machine has mails to show that were never sent. */
export const InDevWithStub = () =>
  OpenWhen(
    ({ environment, emailProvider, baseApiUrl }) =>
      environment === 'dev' && emailProvider === 'stub' && isPrivate(new URL(baseApiUrl).hostname),
  );

/**
 * Closes what is for a developer to others. A website that lets its name point to this machine (DNS rebinding) could read
 * the links of mails, but has to send that name.
 */
@Injectable()
export class OwnMachineGuard implements CanActivate {
  private readonly logger = new Logger(OwnMachineGuard.name);

  private hasWarned = false;

  canActivate(context: ExecutionContext): true {
    const { hostname, raw } = context.switchToHttp().getRequest<FastifyRequest>();
    if (isForwarded(raw)) this.warnOfProxy();
    if (isForwarded(raw) || !isPrivate(hostname)) throw new NotFound();
    return true;
  }

  /** Once for the process: who sends many requests fills no log. */
  private warnOfProxy(): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    this.logger.warn(
      {
        event: 'setting.doubtful',
        code: 'DEV_BEHIND_PROXY',
        fix: 'Set SVC_ENVIRONMENT to beta or prod where others reach the service; else open /dev/mail without the proxy.',
      },
      'A proxy passed on a request for /dev/mail, and the service refused it: dev is for one machine, and has known secrets.',
    );
  }
}

/**
 * Whether a proxy passed a request on: others than this machine may reach the service through it. No browser speaks
 * HTTP/1.0, as nginx does by default.
 */
function isForwarded({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.0' || Object.keys(headers).some((name) => FORWARDED.test(name));
}
