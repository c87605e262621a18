import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Role } from '../access/role.js';
import { MinRole } from '../access/roles.guard.js';
import type { Actor } from '../audit/audit.js';
import { By, CurrentSession, CurrentUser } from '../sessions/caller.js';
import { Session } from '../sessions/session.entity.js';
import { Public } from '../sessions/session.guard.js';
import { SessionCookie } from '../sessions/session-cookie.js';
import { User } from '../users/user.entity.js';
import { Address, ResetPassword, UpdatePassword } from './auth.dto.js';
import { PasswordService } from './password.service.js';

@Controller('password')
export class PasswordController {
  constructor(
    private readonly passwords: PasswordService,
    private readonly cookie: SessionCookie,
  ) {}

  @Post('forgot')
  @Public()
  @HttpCode(202)
  async forgot(@Body() { email }: Address) {
    await this.passwords.forgot(email);
  }

  @Post('reset')
  @Public()
  @HttpCode(204)
  async reset(@Body() body: ResetPassword, @By() by: Actor) {
    await this.passwords.reset(body, by);
  }

  @Post('update')
  @MinRole(Role.READONLY)
  @HttpCode(204)
  async update(
    @CurrentUser() user: User,
    @CurrentSession() session: Session,
    @Body() body: UpdatePassword,
    @By() by: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    this.cookie.set(reply, await this.passwords.update(user, session, body, by));
  }
}
