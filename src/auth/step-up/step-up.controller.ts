import { Body, Controller, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Actor, By, type Caller, CurrentCaller } from '../../http/caller.js';
import {
  IncorrectPassword,
  InvalidPasskey,
  NoSecondFactor,
  StepUpRequired,
  UnknownPasskey,
  ValidationFailed,
} from '../../http/errors.js';
import { Answers, Limited, Problems, Summary } from '../../http/route.js';
import { SessionSchema, sessionView } from '../../sessions/session.view.js';
import { SessionCookie } from '../../sessions/session-cookie.js';
import type { StartedSession } from '../../sessions/sessions.service.js';
import { anything } from '../../validation/schema.js';
import { WithPasskeys } from '../passkeys/passkeys.controller.js';
import { StepUp } from './step-up.dto.js';
import { StepUpService } from './step-up.service.js';

@Controller('auth/step-up')
export class StepUpController {
  constructor(
    private readonly stepUps: StepUpService,
    private readonly cookie: SessionCookie,
  ) {}

  @Post('options')
  @WithPasskeys()
  @Summary("What the browser asks one of the user's passkeys with: PublicKeyCredentialRequestOptionsJSON.")
  @Answers(200, { options: anything })
  @Problems([NoSecondFactor])
  async begin(@CurrentCaller() caller: Caller) {
    return { options: await this.stepUps.begin(caller) };
  }

  @Post()
  @Limited('passwordPerUser')
  @Summary('Proves again who the user is, by exactly one way; the session goes on with a fresh cookie.')
  @Answers(200, { session: SessionSchema })
  @Problems([IncorrectPassword, InvalidPasskey, UnknownPasskey, StepUpRequired])
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

  private prove(caller: Caller, { password, credential }: StepUp, by: Actor): Promise<StartedSession> {
    const isExactlyOne = (password ?? null) === null ? credential : !credential;
    if (!isExactlyOne)
      throw new ValidationFailed([
        { field: 'password', messages: ['must be given, or credential, but not both'] },
      ]);
    return credential
      ? this.stepUps.byPasskey(caller, credential, by)
      : this.stepUps.byPassword(caller, password ?? '', by);
  }
}
