import { Body, Controller, Get, Header, Post } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { CurrentCaller } from '../http/caller.js';
import { UnknownAudience } from '../http/errors.js';
import { Answers, Limited, OpenWhen, Operation, Problems, Public, WhileActing } from '../http/route.js';
import type { ActiveSession } from '../sessions/sessions.service.js';
import { instant, list, text } from '../validation/schema.js';
import { TokenFor } from './backends.dto.js';
import { SessionTokens } from './session-tokens.js';
import { PublicKeySchema, SigningKeys } from './signing-keys.js';

const WithKeys = () => OpenWhen(({ tokenKeys }) => tokenKeys !== undefined);

/** Five minutes: less than an operator waits between the steps of a rotation. */
const CACHED = 'public, max-age=300';

/** Signed tokens for back ends on other hosts, which the cookie does not reach, and the keys to verify them with. */
@Controller()
export class TokensController {
  constructor(
    private readonly tokens: SessionTokens,
    private readonly keys: SigningKeys,
    private readonly environment: Environment,
  ) {}

  @Post('sessions/token')
  @WithKeys()
  @WhileActing('writers')
  @Limited('tokenPerUser')
  @Operation('issueToken', 'Signs who calls, for a back end on another host.')
  @Answers(200, { token: text, expires_at: instant })
  @Problems([UnknownAudience])
  issue(@CurrentCaller() caller: ActiveSession, @Body() { audience }: TokenFor) {
    const { token, expiresAt } = this.tokens.sign(caller, audience, this.environment.tokenMaxAge);
    return { token, expires_at: expiresAt };
  }

  @Get('.well-known/jwks.json')
  @WithKeys()
  @Public()
  @Header('cache-control', CACHED)
  @Operation('listTokenKeys', 'The keys that verify the tokens (RFC 7517).')
  @Answers(200, { keys: list(PublicKeySchema) })
  listKeys() {
    return { keys: this.keys.all.map(({ jwk }) => jwk) };
  }
}
