import { Body, Controller, Delete, Get, Patch, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  type Actor,
  By,
  type Caller,
  type CallerUser,
  CurrentCaller,
  CurrentUser,
} from '../../http/caller.js';
import {
  AddressChangedRecently,
  IncorrectPassword,
  InvalidCode,
  InvalidToken,
  LastOrgAdmin,
  LastSystemAdmin,
  StepUpRequired,
  SubscriptionActive,
  TooManyRequests,
  WrongAccount,
} from '../../http/errors.js';
import { Answers, IntoOrgWhen, Limited, never, Operation, Personal, Problems } from '../../http/route.js';
import { FromCookie } from '../../http/secret-cookie.js';
import { SessionSchema, sessionView } from '../../sessions/session.view.js';
import { SessionCookie } from '../../sessions/session-cookies.js';
import { OrganizationsSchema, organizationsView, UserSchema, userView } from '../../users/user.view.js';
import { address, instant, list, named } from '../../validation/schema.js';
import { ChangeEmail, DeleteAccount, MailedSecret, UpdateMe } from '../auth.dto.js';
import { LoginCookies } from '../login/login-cookies.js';
import { CodeCookie } from '../mailed-codes/code-cookie.js';
import { MailedCodes } from '../mailed-codes/mailed-codes.js';
import { AccountService } from './account.service.js';
import { EmailChangeService } from './email-change.service.js';

const EmailChangeSchema = named('EmailChange', {
  new_email: address,
  created_at: instant,
  expires_at: instant,
});

@Personal()
@Controller('users/me')
export class AccountController {
  constructor(
    private readonly accounts: AccountService,
    private readonly emailChanges: EmailChangeService,
    private readonly cookie: SessionCookie,
    private readonly loginCookies: LoginCookies,
    private readonly codes: MailedCodes,
    private readonly codeCookie: CodeCookie,
  ) {}

  @Get()
  @IntoOrgWhen(never)
  @Operation('me', 'The user who is logged in, the session, and the organizations they belong to.')
  @Answers(200, { user: UserSchema, session: SessionSchema, organizations: OrganizationsSchema })
  get(@CurrentCaller() caller: Caller) {
    const { user, session, memberships } = caller;
    return {
      user: userView(user),
      session: sessionView(session, session.id),
      organizations: organizationsView(memberships, caller),
    };
  }

  @Patch()
  @Limited('changePerUser')
  @Operation('updateMe', 'Changes the name, the language and the time zone of mails.')
  @Answers(200, { user: UserSchema })
  async update(
    @CurrentUser() user: CallerUser,
    @Body() body: UpdateMe,
    @By() by: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const updated = await this.accounts.update(user, body, by);
    if (body.locale) this.loginCookies.setLanguage(reply, updated.locale);
    return { user: userView(updated) };
  }

  @Post('email')
  @Operation(
    'changeEmail',
    'Mails a link to a new address; the account moves there once its owner confirms it.',
  )
  @Answers(202)
  @Problems([IncorrectPassword, StepUpRequired, TooManyRequests])
  async changeEmail(
    @CurrentCaller() caller: Caller,
    @Body() body: ChangeEmail,
    @FromCookie(CodeCookie) codeToken: string | null,
    @By() by: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    this.codeCookie.setGiven(reply, await this.emailChanges.request(caller, body, codeToken, by));
  }

  @Get('email')
  @Operation('listEmailChanges', 'The new addresses that the caller asked for and has not confirmed yet.')
  @Answers(200, { data: list(EmailChangeSchema) })
  async listEmailChanges(@CurrentUser() user: CallerUser) {
    const changes = await this.emailChanges.pending(user);
    return {
      data: changes.map(({ newEmail, askedAt, expiresAt }) => ({
        new_email: newEmail,
        created_at: askedAt,
        expires_at: expiresAt,
      })),
    };
  }

  @Delete('email')
  @Limited('changePerUser')
  @Operation('cancelEmailChange', 'Voids the links to new addresses that were not opened yet.')
  @Answers(204)
  async cancelEmailChange(@CurrentUser() user: CallerUser, @By() by: Actor) {
    await this.emailChanges.cancel(user, by);
  }

  @Post('email/confirm')
  @Operation('confirmEmail', 'Moves the account to the address that the token, or the code, was mailed to.')
  @Answers(200, { user: UserSchema })
  @Problems([InvalidToken, InvalidCode, WrongAccount, TooManyRequests])
  async confirmEmail(
    @CurrentUser() user: CallerUser,
    @Body() body: MailedSecret,
    @FromCookie(CodeCookie) codeToken: string | null,
    @By() by: Actor,
  ) {
    const moved = await this.codes.open('change-email', body, codeToken, (token) =>
      this.emailChanges.confirm(user, token, by),
    );
    return { user: userView(moved) };
  }

  @Delete()
  @Operation('deleteMe', 'Deletes the account; one that has a password asks for it.')
  @Answers(204)
  @Problems([
    IncorrectPassword,
    StepUpRequired,
    LastOrgAdmin,
    LastSystemAdmin,
    AddressChangedRecently,
    SubscriptionActive,
    TooManyRequests,
  ])
  async delete(
    @CurrentCaller() caller: Caller,
    @Body() body: DeleteAccount,
    @By() by: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await this.accounts.delete(caller, body, by);
    this.cookie.clear(reply);
  }
}
