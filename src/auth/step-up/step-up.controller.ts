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
import { Answers, Operation, Personal, Problems } from '../../http/route.js';
import { SessionSchema, sessionView } from '../../sessions/session.view.js';
import { SessionCookie } from '../../sessions/session-cookies.js';
import type { StartedSession } from '../../sessions/sessions.service.js';
import { anything } from '../../validation/schema.js';
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
    @By() by: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { session, token } = await this.prove(caller, body, by);
    this.cookie.set(reply, token);
    return { session: sessionView(session, session.id) };
  }

  private prove(caller: Caller, body: StepUp, by: Actor): Promise<StartedSession> {
    const { password, credential } = body;
    if (Object.values(body).filter((proof) => proof !== undefined && proof !== null).length !== 1)
      throw new ValidationFailed([fieldError('password', { code: 'not_exactly_one' })]);
    if (password) return this.stepUps.byPassword(caller, password, by);
    if (credential) return this.stepUps.byPasskey(caller, credential, by);
    return this.stepUps.byCode(caller, this.codes.typed(body), by);
  }
}
