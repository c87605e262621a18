import { Controller, Get } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { relyingPartyId } from '../../config/relying-party.js';
import { Answers, Operation, Personal, Public } from '../../http/route.js';
import { flag, list, named, text } from '../../validation/schema.js';
import { Languages } from '../../words/languages.js';
import { Providers } from './providers.js';

const ProviderSchema = named('Provider', { id: text, title: text });

@Personal()
@Controller('auth/methods')
@Public()
export class MethodsController {
  constructor(
    private readonly environment: Environment,
    private readonly providers: Providers,
    private readonly languages: Languages,
  ) {}

  @Get()
  @Operation(
    'methods',
    'What a login page offers: the ways to log in, whether a person may sign up, and the languages of pages and mails, the default first.',
  )
  @Answers(200, {
    password: flag,
    passkey: flag,
    email_code: flag,
    signup: flag,
    providers: list(ProviderSchema),
    locales: list(text),
  })
  methods() {
    return {
      password: true,
      passkey: relyingPartyId(this.environment) !== null,
      email_code: this.environment.emailCodeLogin === 'on',
      signup: this.environment.appMode === 'b2c',
      providers: this.providers.all.map(({ id, title }) => ({ id, title })),
      locales: [...this.languages.tags],
    };
  }
}
