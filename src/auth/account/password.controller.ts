import { Body, Controller, Delete, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Actor, By, type Caller, CurrentCaller } from '../../http/caller.js';
import {
  IncorrectPassword,
  InvalidCode,
  InvalidToken,
  LastLoginMethod,
  StepUpRequired,
  TooManyRequests,
  WeakPassword,
} from '../../http/errors.js';
import { Role } from '../../http/role.js';
import {
  Answers,
  Limited,
  MinRole,
  Operation,
  Personal,
  Problems,
  Public,
  RequiresStepUp,
} from '../../http/route.js';
import { FromCookie } from '../../http/secret-cookie.js';
import { address } from '../../validation/schema.js';
import { Address, MailedSecret, RemovePassword, ResetPassword, UpdatePassword } from '../auth.dto.js';
import { DeviceCookie, LoginCookies } from '../login/login-cookies.js';
import { CodeCookie } from '../mailed-codes/code-cookie.js';
import { MailedCodes } from '../mailed-codes/mailed-codes.js';
import { LinkRequests } from '../signup/link-requests.js';
import { PasswordService } from './password.service.js';
import { PasswordResetService } from './password-reset.service.js';

@Personal()
@Controller('password')
export class PasswordController {
  constructor(
    private readonly passwords: PasswordService,
    private readonly requests: LinkRequests,
    private readonly resets: PasswordResetService,
    private readonly cookies: LoginCookies,
    private readonly deviceCookie: DeviceCookie,
    private readonly codes: MailedCodes,
    private readonly codeCookie: CodeCookie,
  ) {}

  @Post('forgot')
  @Public()
  @Limited('forgotPerNetwork')
  @Operation('forgotPassword', 'Mails a link to set a new password, where there is an account.')
  @Answers(202)
  async forgot(
    @Body() { email }: Address,
    @FromCookie(CodeCookie) codeToken: string | null,
    @By() by: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    this.codeCookie.setGiven(reply, await this.requests.request(email, codeToken, by));
  }

  /** Its answer names the address, which the mail with the token was sent to: it tells nobody else of an account. */
  @Post('reset/preview')
  @Public()
  @Operation('previewReset', 'Whose password the token of a mailed link, or its code, sets. Uses nothing up.')
  @Answers(200, { email: address })
  @Problems([InvalidToken, InvalidCode, TooManyRequests])
  async preview(
    @Body() body: MailedSecret,
    @FromCookie(CodeCookie) codeToken: string | null,
    @By() by: Actor,
  ) {
    const { email } = await this.codes.open('reset-password', body, codeToken, (token) =>
      this.resets.ownerOf(token, by),
    );
    return { email };
  }

  @Post('reset')
  @Public()
  @Operation(
    'resetPassword',
    'Sets a new password with the token of a mailed link, or its code, and ends every session.',
  )
  @Answers(204)
  @Problems([InvalidToken, InvalidCode, WeakPassword, TooManyRequests])
  async reset(
    @Body() body: ResetPassword,
    @FromCookie(CodeCookie) codeToken: string | null,
    @FromCookie(DeviceCookie) deviceToken: string | null,
    @By() by: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const device = await this.codes.open('reset-password', body, codeToken, (token) =>
      this.resets.complete(token, body, deviceToken, by),
    );
    this.deviceCookie.set(reply, device);
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
