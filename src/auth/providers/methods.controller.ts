import { Controller, Get } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { relyingPartyId } from '../../config/relying-party.js';
import { Answers, Operation, Public } from '../../http/route.js';
import { flag, list, named, text } from '../../validation/schema.js';
import { Providers } from './providers.js';

const ProviderSchema = named('Provider', { id: text, title: text });

@Controller('auth/methods')
@Public()
export class MethodsController {
  constructor(
    private readonly environment: Environment,
    private readonly providers: Providers,
  ) {}

  @Get()
  @Operation('methods', 'What a login page offers: the ways to log in, and whether a person may sign up.')
  @Answers(200, { password: flag, passkey: flag, signup: flag, providers: list(ProviderSchema) })
  methods() {
    return {
      password: true,
      passkey: relyingPartyId(this.environment) !== null,
      signup: this.environment.appMode === 'b2c',
      providers: this.providers.all.map(({ id, title }) => ({ id, title })),
    };
  }
}
