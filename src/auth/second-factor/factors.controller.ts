import { Body, Controller, Delete, Get, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { secondStepOf } from '../../accounts/factors.js';
import {
  type Actor,
  By,
  type Caller,
  type CallerUser,
  CurrentCaller,
  CurrentUser,
} from '../../http/caller.js';
import {
  CodesUnavailable,
  InvalidCode,
  LastSecondFactor,
  NoSecondFactor,
  NotFound,
  TotpAlreadyOn,
} from '../../http/errors.js';
import { Answers, Limited, Operation, Personal, Problems, RequiresStepUp } from '../../http/route.js';
import { SessionSchema, sessionView } from '../../sessions/session.view.js';
import { SessionCookie } from '../../sessions/session-cookies.js';
import { count, instant, list, named, nullable, object, oneOf, text } from '../../validation/schema.js';
import { FactorsService } from './factors.service.js';
import { ConfirmTotp } from './second-factor.dto.js';

const FactorsSchema = named('Factors', {
  totp: nullable(object({ created_at: instant })),
  passkeys: count,
  recovery_codes_left: count,
  recovery_codes_kept_at: nullable(instant),
  second_step: oneOf(['off', 'on', 'required'] as const),
});

@Personal()
@Controller('users/me')
export class FactorsController {
  constructor(
    private readonly factors: FactorsService,
    private readonly cookie: SessionCookie,
  ) {}

  @Get('factors')
  @Operation('getFactors', 'The second factors of the caller, and whether a login takes a second step.')
  @Answers(200, { factors: FactorsSchema })
  async get(@CurrentUser() user: CallerUser) {
    const factors = await this.factors.get(user);
    const { totpCreatedAt, passkeys, recoveryCodesLeft, recoveryCodesKeptAt } = factors;
    return {
      factors: {
        totp: totpCreatedAt && { created_at: totpCreatedAt },
        passkeys,
        recovery_codes_left: recoveryCodesLeft,
        recovery_codes_kept_at: recoveryCodesKeptAt,
        second_step: secondStepOf(factors),
      },
    };
  }

  @Post('totp')
  @RequiresStepUp()
  @Limited('factorPerUser')
  @Operation(
    'beginTotp',
    'A secret for an authenticator app, which is no factor until one of its codes confirms it.',
  )
  @Answers(200, { secret: text, uri: text })
  @Problems([TotpAlreadyOn])
  async begin(@CurrentCaller() caller: Caller, @By() by: Actor) {
    const { secret, uri } = await this.factors.begin(caller, by);
    return { secret, uri };
  }

  @Post('totp/confirm')
  @RequiresStepUp()
  @Limited('factorPerUser')
  @Operation(
    'confirmTotp',
    'Adds the authenticator app that shows the code; the session goes on with a fresh cookie, the others end.',
  )
  @Answers(200, { session: SessionSchema, recovery_codes: list(text) })
  @Problems([InvalidCode, TotpAlreadyOn, CodesUnavailable])
  async confirm(
    @CurrentCaller() caller: Caller,
    @Body() { code }: ConfirmTotp,
    @By() by: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { session, token, recoveryCodes } = await this.factors.confirm(caller, code, by);
    this.cookie.set(reply, token);
    return { session: sessionView(session, session.id), recovery_codes: recoveryCodes };
  }

  @Delete('totp')
  @RequiresStepUp()
  @Limited('factorPerUser')
  @Operation(
    'removeTotp',
    'Removes the authenticator app, without another factor the recovery codes too, tells the owner, and ends the other sessions that the app raised.',
  )
  @Answers(204)
  @Problems([NotFound, LastSecondFactor])
  async remove(@CurrentCaller() caller: Caller, @By() by: Actor) {
    await this.factors.remove(caller, by);
  }

  @Post('recovery-codes')
  @RequiresStepUp()
  @Limited('factorPerUser')
  @Operation(
    'renewRecoveryCodes',
    'Makes ten new recovery codes; the old ones no longer work, and the other sessions end that one raised.',
  )
  @Answers(200, { recovery_codes: list(text) })
  @Problems([NoSecondFactor])
  async renewCodes(@CurrentCaller() caller: Caller, @By() by: Actor) {
    return { recovery_codes: await this.factors.renewCodes(caller, by) };
  }

  @Post('recovery-codes/kept')
  @Limited('factorPerUser')
  @Operation(
    'keepRecoveryCodes',
    'Notes that the caller keeps the recovery codes somewhere; until then the factors say that they do not.',
  )
  @Answers(204)
  async keepCodes(@CurrentCaller() caller: Caller, @By() by: Actor) {
    await this.factors.keepCodes(caller, by);
  }
}
