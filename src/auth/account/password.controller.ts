import { Body, Controller, Delete, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Actor, By, type Caller, CurrentCaller } from '../../http/caller.js';
import {
  IncorrectPassword,
  InvalidToken,
  LastLoginMethod,
  StepUpRequired,
  TooManyRequests,
  WeakPassword,
} from '../../http/errors.js';
import { Role } from '../../http/role.js';
import { Answers, Limited, MinRole, Operation, Problems, Public, RequiresStepUp } from '../../http/route.js';
import { FromCookie } from '../../http/secret-cookie.js';
import { address } from '../../validation/schema.js';
import { Address, MailedToken, RemovePassword, ResetPassword, UpdatePassword } from '../auth.dto.js';
import { DeviceCookie, LoginCookies } from '../login/login-cookies.js';
import { LinkRequests } from '../signup/link-requests.js';
import { PasswordService } from './password.service.js';
import { PasswordResetService } from './password-reset.service.js';

@Controller('password')
export class PasswordController {
  constructor(
    private readonly passwords: PasswordService,
    private readonly requests: LinkRequests,
    private readonly resets: PasswordResetService,
    private readonly cookies: LoginCookies,
    private readonly deviceCookie: DeviceCookie,
  ) {}

  @Post('forgot')
  @Public()
  @Limited('forgotPerNetwork')
  @Operation('forgotPassword', 'Mails a link to set a new password, where there is an account.')
  @Answers(202)
  async forgot(@Body() { email }: Address, @By() by: Actor) {
    await this.requests.request(email, by);
  }

  /** Its answer names the address, which the mail with the token was sent to: it tells nobody else of an account. */
  @Post('reset/preview')
  @Public()
  @Operation('previewReset', 'Whose password the token of a mailed link sets. Uses nothing up.')
  @Answers(200, { email: address })
  @Problems([InvalidToken, TooManyRequests])
  async preview(@Body() { token }: MailedToken, @By() by: Actor) {
    const { email } = await this.resets.ownerOf(token, by);
    return { email };
  }

  @Post('reset')
  @Public()
  @Operation('resetPassword', 'Sets a new password with the token of a mailed link, and ends every session.')
  @Answers(204)
  @Problems([InvalidToken, WeakPassword, TooManyRequests])
  async reset(
    @Body() body: ResetPassword,
    @FromCookie(DeviceCookie) deviceToken: string | null,
    @By() by: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    this.deviceCookie.set(reply, await this.resets.complete(body, deviceToken, by));
  }

  @Post('update')
  @MinRole(Role.READONLY)
  @Operation(
    'updatePassword',
    'Changes the password, or sets the first one; the session goes on with a fresh cookie, the others end.',
  )
  @Answers(204)
  @Problems([IncorrectPassword, WeakPassword, StepUpRequired, TooManyRequests])
  async update(
    @CurrentCaller() caller: Caller,
    @Body() body: UpdatePassword,
    @FromCookie(DeviceCookie) deviceToken: string | null,
    @By() by: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    this.cookies.set(reply, await this.passwords.update(caller, body, deviceToken, by));
  }

  @Delete()
  @RequiresStepUp()
  @Operation(
    'removePassword',
    'Takes the password away from an account that has another way to log in; the other sessions end.',
  )
  @Answers(204)
  @Problems([IncorrectPassword, LastLoginMethod, TooManyRequests])
  async remove(@CurrentCaller() caller: Caller, @Body() body: RemovePassword, @By() by: Actor) {
    await this.passwords.remove(caller, body, by);
  }
}
