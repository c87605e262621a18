import { Body, Controller, Get, HttpCode, Inject, Param, Put, Redirect, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { NotFound, ValidationFailed } from '../http/errors.js';
import { LanguageCookie } from '../http/language-cookie.js';
import { fieldError } from '../http/problem.js';
import { B2COnly, OpenWhen, Public, Undocumented } from '../http/route.js';
import { Languages } from '../words/languages.js';
import { Assets } from './assets.js';
import type { Script } from './bundle.js';
import { OWN_STYLE, type OwnStyle } from './own-style.js';
import { PageLanguage } from './page-language.js';
import { LOGIN_PAGES, SYSTEM_SCREENS, USER_SCREENS } from './page-list.js';
import { ChosenLanguage } from './pages.dto.js';
import { pageHeaders } from './policy.js';
import { Shell } from './shell.js';

/** A file with another content has another name. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

@Controller()
@Public()
@Undocumented()
export class PagesController {
  private readonly headers: Record<string, string>;
  private readonly framingHeaders: Record<string, string>;

  constructor(
    environment: Environment,
    private readonly shell: Shell,
    private readonly assets: Assets,
    private readonly language: PageLanguage,
    private readonly languages: Languages,
    private readonly cookie: LanguageCookie,
    @Inject(OWN_STYLE) style: OwnStyle | null,
  ) {
    this.headers = pageHeaders(environment, style);
    this.framingHeaders = pageHeaders(environment, style, { isFraming: true });
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

  @Get('ui/account')
  account(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.page(request, reply, 'account');
  }

  @Get(['ui/security', 'ui/second-step'])
  security(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.page(request, reply, 'security');
  }

  @Get('ui/login-code')
  @OpenWhen(({ emailCodeLogin }) => emailCodeLogin === 'on')
  loginCode(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.page(request, reply, 'code');
  }

  @Get('ui/signup')
  @B2COnly()
  signup(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.page(request, reply, 'login');
  }

  @Get('ui/billing')
  @OpenWhen(({ stripeSecretKey }) => stripeSecretKey !== undefined)
  billing(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.page(request, reply, 'billing');
  }

  @Get('admin/organization')
  organization(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.page(request, reply, 'admin');
  }

  @Get('admin/activity')
  activity(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.page(request, reply, 'activity');
  }

  @Get(SYSTEM_SCREENS)
  systemScreen(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.page(request, reply, 'system');
  }

  @Get(USER_SCREENS)
  userScreen(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.page(request, reply, 'users');
  }

  @Get('admin/billing')
  @OpenWhen(({ stripeSecretKey }) => stripeSecretKey !== undefined)
  consoleBilling(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.page(request, reply, 'system');
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

  /** What the pages let their visitor choose for this browser. No GET does: a link from elsewhere changes the page that it opens alone. */
  @Put('ui/language')
  @HttpCode(204)
  choose(@Body() { language }: ChosenLanguage, @Res({ passthrough: true }) reply: FastifyReply): void {
    if (!this.languages.tags.includes(language))
      throw new ValidationFailed([
        fieldError('language', { code: 'unknown_locale', choices: this.languages.tags }),
      ]);
    this.cookie.set(reply, language);
  }

  private async page(request: FastifyRequest, reply: FastifyReply, script: Script): Promise<string> {
    const language = this.language.of(request);
    const path = request.routeOptions.url ?? '';
    const { markup, etag } = await this.shell.document(path, script, language);
    // The preview of mails is a frame.
    const headers = path === '/admin/mail' ? this.framingHeaders : this.headers;
    reply.headers({ ...headers, 'content-language': language.tag, etag });
    if (!hasIt(request.headers['if-none-match'], etag)) return markup;
    reply.code(304);
    return '';
  }
}

/** Whether a browser has the document; a proxy that compresses it marks its tag as weak (RFC 9110 §13.1.2). */
function hasIt(tags: string | undefined, etag: string): boolean {
  const known = (tags ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}

/** `br` in a list such as `gzip, br;q=0.5`; with a weight of 0 it is refused (RFC 9110 §12.5.3). */
function acceptsBrotli(accepted: string | string[] | undefined): boolean {
  return /(^|[\s,])br\s*(,|$|;\s*q=(1|0\.0*[1-9]))/i.test(String(accepted ?? ''));
}
