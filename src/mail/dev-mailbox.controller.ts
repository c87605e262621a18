import { isIP } from 'node:net';
import { Controller, Get, Header, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { NotFound } from '../http/errors.js';
import { OpenWhen, Public, Undocumented } from '../http/route.js';
import { DevMailbox } from './dev-mailbox.js';
import { mailboxPage, PAGE_POLICY } from './dev-mailbox.page.js';

/** Only a developer's own machine has mails to show that reached nobody. */
const InDevWithStub = () =>
  OpenWhen(({ environment, emailProvider }) => environment === 'dev' && emailProvider === 'stub');

@Controller('dev/mail')
@Public()
@Undocumented()
export class DevMailboxController {
  constructor(
    private readonly mailbox: DevMailbox,
    private readonly environment: Environment,
  ) {}

  @Get()
  @InDevWithStub()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', PAGE_POLICY)
  show(@Req() { hostname }: FastifyRequest) {
    if (!this.isOwnHost(hostname)) throw new NotFound();
    return mailboxPage(this.mailbox.newestFirst());
  }

  /** A website that lets its name point to this machine (DNS rebinding) could read the links, but has to send that name. */
  private isOwnHost(hostname: string): boolean {
    const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
    return isAddress || ['localhost', new URL(this.environment.baseApiUrl).hostname].includes(hostname);
  }
}
