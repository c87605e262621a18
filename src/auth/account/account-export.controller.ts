import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Actor, By, type CallerUser, CurrentUser, type Recheck, Rechecked } from '../../http/caller.js';
import { TooManyRequests } from '../../http/errors.js';
import { Answers, JSON_TYPE, Operation, Personal, Problems, RequiresStepUp } from '../../http/route.js';
import { ACCOUNT_EXPORT } from './account-export.js';
import { AccountExportService } from './account-export.service.js';

@Personal()
@Controller('users/me/export')
export class AccountExportController {
  constructor(private readonly exports: AccountExportService) {}

  @Get()
  @RequiresStepUp()
  @Operation(
    'exportMe',
    'What the service holds about the caller, as a JSON file, once an hour; the service records it, and mails the owner.',
  )
  @Answers(200, ACCOUNT_EXPORT, JSON_TYPE)
  @Problems([TooManyRequests])
  async export(
    @CurrentUser() user: CallerUser,
    @By() by: Actor,
    @Rechecked() recheck: Recheck,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const copy = await this.exports.export(user, by, recheck);
    reply.headers({
      'content-type': `${JSON_TYPE}; charset=utf-8`,
      'content-disposition': 'attachment; filename="account.json"',
    });
    return copy;
  }
}
