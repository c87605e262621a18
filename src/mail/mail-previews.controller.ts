import { Body, Controller, Get, Header, Post, Query } from '@nestjs/common';
import { IsIn } from 'class-validator';
import { type Actor, By, type CallerUser, CurrentUser } from '../http/caller.js';
import { Role } from '../http/role.js';
import { Answers, Limited, MinRole, Operation, Personal } from '../http/route.js';
import { IsLocale } from '../validation/rules.js';
import { list, oneOf, text } from '../validation/schema.js';
import { withLinksApart } from './links-apart.js';
import { MailPreviewSchema, mailPreviewView } from './mail.view.js';
import { MAIL_KINDS, type MailKind } from './mail-kinds.js';
import { MailPreviewsService } from './mail-previews.service.js';

/**
 * Of a document that only the console frames. Nothing in it runs, and its links open windows of their own. A product's frame may have
 * images from elsewhere.
 */
const FRAME_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src https:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-popups allow-popups-to-escape-sandbox',
].join('; ');

class MailSample {
  @IsIn(MAIL_KINDS)
  readonly kind: MailKind;

  @IsLocale()
  readonly language: string;
}

@Personal()
@Controller('mails')
@MinRole(Role.SYSTEM_ADMIN)
export class MailPreviewsController {
  constructor(private readonly previews: MailPreviewsService) {}

  @Get('kinds')
  @Operation('listMailKinds', 'The kinds of mails, and the languages they are written in, the default first.')
  @Answers(200, { kinds: list(oneOf(MAIL_KINDS)), languages: list(text) })
  getKinds() {
    return { kinds: [...MAIL_KINDS], languages: [...this.previews.languages] };
  }

  @Get('preview')
  @Operation('previewMail', 'A mail of a kind in a language, with sample names, and links that open nothing.')
  @Answers(200, { preview: MailPreviewSchema })
  preview(@Query() { kind, language }: MailSample) {
    return { preview: mailPreviewView(this.previews.preview(kind, language)) };
  }

  @Get('preview.html')
  @Operation('previewMailHtml', 'The HTML of a preview, for a frame of the console.')
  @Answers(200, 'text/html')
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', FRAME_POLICY)
  previewHtml(@Query() { kind, language }: MailSample) {
    return withLinksApart(this.previews.preview(kind, language).mail.html);
  }

  @Post('test')
  @Limited('invitePerUser')
  @Operation(
    'testMail',
    'Mails a preview to the address of the caller, with a subject that says it is a test.',
  )
  @Answers(202)
  async test(@Body() { kind, language }: MailSample, @CurrentUser() user: CallerUser, @By() by: Actor) {
    await this.previews.test(kind, language, user, by);
  }
}
