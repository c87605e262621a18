import { Controller, Get, Param, Redirect, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { NotFound } from '../http/errors.js';
import { B2COnly, OpenWhen, Public, Undocumented } from '../http/route.js';
import { Assets } from './assets.js';
import type { Script } from './bundle.js';
import { ACCOUNT_PAGES, CONSOLE_SCREENS, LOGIN_PAGES } from './page-list.js';
import { pageHeaders } from './policy.js';
import { Shell } from './shell.js';

/** A file with another content has another name. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

@Controller()
@Public()
@Undocumented()
export class PagesController {
  private readonly headers: Record<string, string>;

  constructor(
    environment: Environment,
    private readonly shell: Shell,
    private readonly assets: Assets,
  ) {
    this.headers = pageHeaders(environment);
  }

  @Get()
  @OpenWhen(({ environment }) => environment === 'dev')
  @Redirect('ui', 302)
  root() {}

  @Get('ui')
  @Redirect('ui/account', 302)
  start() {}

  /** Where a password manager sends its user to change the password (W3C, “A Well-Known URL for Changing Passwords”). */
  @Get('.well-known/change-password')
  @Redirect('../ui/security', 302)
  changePassword() {}

  @Get(LOGIN_PAGES)
  login(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.page(request, reply, 'login');
  }

  @Get(ACCOUNT_PAGES)
  account(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.page(request, reply, 'account');
  }

  @Get('ui/signup')
  @B2COnly()
  signup(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.page(request, reply, 'login');
  }

  @Get('ui/billing')
  @OpenWhen(({ stripeSecretKey }) => stripeSecretKey !== undefined)
  billing(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.page(request, reply, 'account');
  }

  @Get(CONSOLE_SCREENS)
  console(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.page(request, reply, 'admin');
  }

  @Get('admin/billing')
  @OpenWhen(({ stripeSecretKey }) => stripeSecretKey !== undefined)
  consoleBilling(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.page(request, reply, 'admin');
  }

  @Get('ui/assets/:name')
  async asset(
    @Param('name') name: string,
    @Req() { headers }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const asset = await this.assets.find(name);
    if (!asset) throw new NotFound();
    const cacheControl = asset.isForGood ? FOR_GOOD : 'no-store';
    reply.headers({
      'content-type': asset.type,
      'cache-control': cacheControl,
      vary: 'origin, accept-encoding',
    });
    if (asset.brotli === null || !acceptsBrotli(headers['accept-encoding'])) return asset.content;
    reply.header('content-encoding', 'br');
    return asset.brotli;
  }

  private page({ routeOptions }: FastifyRequest, reply: FastifyReply, script: Script): Promise<string> {
    reply.headers(this.headers);
    return this.shell.document(routeOptions.url ?? '', script);
  }
}

/** `br` in a list such as `gzip, br;q=0.5`; with a weight of 0 it is refused (RFC 9110 §12.5.3). */
function acceptsBrotli(accepted: string | string[] | undefined): boolean {
  return /(^|[\s,])br\s*(,|$|;\s*q=(1|0\.0*[1-9]))/i.test(String(accepted ?? ''));
}
