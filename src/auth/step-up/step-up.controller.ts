import { Body, Controller, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Actor, By, type Caller, CurrentCaller } from '../../http/caller.js';
import {
  CodesUnavailable,
  IncorrectPassword,
  InvalidCode,
  InvalidPasskey,
  NoSecondFactor,
  StepUpRequired,
  TooManyAttempts,
  TooManyRequests,
  UnknownPasskey,
  ValidationFailed,
} from '../../http/errors.js';
import { fieldError } from '../../http/problem.js';
import { Answers, Limited, Operation, Personal, Problems } from '../../http/route.js';
import { FromCookie } from '../../http/secret-cookie.js';
import { SessionSchema, sessionView } from '../../sessions/session.view.js';
import { SessionCookie } from '../../sessions/session-cookies.js';
import type { StartedSession } from '../../sessions/sessions.service.js';
import { anything } from '../../validation/schema.js';
import { WithEmailCodes } from '../email-code/email-code.controller.js';
import { CodeCookie } from '../mailed-codes/code-cookie.js';
import { WithPasskeys } from '../passkeys/passkeys.controller.js';
import { CodesService } from '../second-factor/codes.service.js';
import { StepUp } from './step-up.dto.js';
import { StepUpService } from './step-up.service.js';

@Personal()
@Controller('auth/step-up')
export class StepUpController {
  constructor(
    private readonly stepUps: StepUpService,
    private readonly codes: CodesService,
    private readonly cookie: SessionCookie,
    private readonly codeCookie: CodeCookie,
  ) {}

  @Post('options')
  @WithPasskeys()
  @Operation(
    'beginStepUp',
    "What the browser asks one of the user's passkeys with: PublicKeyCredentialRequestOptionsJSON.",
  )
  @Answers(200, { options: anything })
  @Problems([NoSecondFactor])
  async begin(@CurrentCaller() caller: Caller) {
    return { options: await this.stepUps.begin(caller) };
  }

  @Post('code')
  @WithEmailCodes()
  @Limited('emailCodePerNetwork')
  @Operation(
    'mailStepUpCode',
    'Mails a code that proves in this session and browser who the user is, to an account that has nothing else.',
  )
  @Answers(202)
  @Problems([StepUpRequired])
  async mailCode(
    @CurrentCaller() caller: Caller,
    @FromCookie(CodeCookie) codeToken: string | null,
    @By() by: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    this.codeCookie.setGiven(reply, await this.stepUps.mailCode(caller, codeToken, by));
  }

  @Post()
  @Operation(
    'stepUp',
    'Proves again who the user is, by exactly one way; the session goes on with a fresh cookie.',
  )
  @Answers(200, { session: SessionSchema })
  @Problems([
    IncorrectPassword,
    InvalidCode,
    InvalidPasskey,
    UnknownPasskey,
    StepUpRequired,
    TooManyAttempts,
    CodesUnavailable,
    TooManyRequests,
  ])
  async stepUp(
    @CurrentCaller() caller: Caller,
    @Body() body: StepUp,
    @FromCookie(CodeCookie) codeToken: string | null,
    @By() by: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { session, token } = await this.prove(caller, body, codeToken, by);
    this.cookie.set(reply, token);
    return { session: sessionView(session, session.id) };
  }

  private prove(caller: Caller, body: StepUp, codeToken: string | null, by: Actor): Promise<StartedSession> {
    const { password, credential, email_code } = body;
    if (Object.values(body).filter((proof) => proof !== undefined && proof !== null).length !== 1)
      throw new ValidationFailed([fieldError('password', { code: 'not_exactly_one' })]);
    if (password) return this.stepUps.byPassword(caller, password, by);
    if (credential) return this.stepUps.byPasskey(caller, credential, by);
    if (email_code) return this.stepUps.byMailedCode(caller, email_code, codeToken, by);
    return this.stepUps.byCode(caller, this.codes.typed(body), by);
  }
}
