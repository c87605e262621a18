import { Body, Controller, Delete, HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Actor } from '../audit/audit.js';
import { Limited } from '../limits/limit.guard.js';
import { By, CurrentUser } from '../sessions/caller.js';
import { SessionCookie } from '../sessions/session-cookie.js';
import { User } from '../users/user.entity.js';
import { AccountDeletionService } from './account-deletion.service.js';
import { ChangeEmail, DeleteAccount } from './auth.dto.js';
import { EmailChangeService } from './email-change.service.js';

@Controller('users/me')
export class AccountController {
  constructor(
    private readonly emailChanges: EmailChangeService,
    private readonly deletions: AccountDeletionService,
    private readonly cookie: SessionCookie,
  ) {}

  @Post('email')
  @Limited('passwordPerSession')
  @HttpCode(202)
  async changeEmail(@CurrentUser() user: User, @Body() body: ChangeEmail, @By() by: Actor) {
    await this.emailChanges.request(user, body, by);
  }

  @Delete()
  @Limited('passwordPerSession')
  @HttpCode(204)
  async delete(
    @CurrentUser() user: User,
    @Body() body: DeleteAccount,
    @By() by: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await this.deletions.delete(user, body, by);
    this.cookie.clear(reply);
  }
}
