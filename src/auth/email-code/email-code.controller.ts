import { Body, Controller, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Actor, By } from '../../http/caller.js';
import { InvalidCode, TooManyRequests } from '../../http/errors.js';
import { Answers, Limited, OpenWhen, Operation, Personal, Problems, Public } from '../../http/route.js';
import { FromCookie } from '../../http/secret-cookie.js';
import { Address } from '../auth.dto.js';
import type { PresentedTokens } from '../login/admission.service.js';
import { LogsIn } from '../login/login.interceptor.js';
import { DeviceCookie, LoginCookies } from '../login/login-cookies.js';
import { CodeCookie } from '../mailed-codes/code-cookie.js';
import { LinkRequests } from '../signup/link-requests.js';
import { LoginCode } from './email-code.dto.js';
import { EmailCodeLoginService } from './email-code-login.service.js';

/** Closes a route where nobody may log in with a mailed code. */
export const WithEmailCodes = () => OpenWhen(({ emailCodeLogin }) => emailCodeLogin === 'on');

@Personal()
@Controller('auth/email-code')
@Public()
export class EmailCodeController {
  constructor(
    private readonly requests: LinkRequests,
    private readonly logins: EmailCodeLoginService,
    private readonly codeCookie: CodeCookie,
  ) {}

  @Post()
  @WithEmailCodes()
  @Limited('emailCodePerNetwork')
  @Operation('beginEmailCodeLogin', 'Mails a code to log in with in this browser, where there is an account.')
  @Answers(202)
  async request(
    @Body() { email }: Address,
    @FromCookie(CodeCookie) codeToken: string | null,
    @FromCookie(DeviceCookie) deviceToken: string | null,
    @By() by: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const browser = { codeToken, deviceToken };
    this.codeCookie.setGiven(reply, await this.requests.requestLoginCode(email, browser, by));
  }

  @Post('login')
  @WithEmailCodes()
  @Operation('emailCodeLogin', 'Logs in with a mailed code, in the browser that asked for it.')
  @LogsIn({})
  @Problems([InvalidCode, TooManyRequests])
  async login(
    @Body() { code }: LoginCode,
    @FromCookie(CodeCookie) codeToken: string | null,
    @FromCookie(LoginCookies) presented: PresentedTokens,
    @By() by: Actor,
  ) {
    return { admission: await this.logins.login(code, codeToken, presented, by) };
  }
}
