import { Global, Module } from '@nestjs/common';
import { FactorsRepository } from '../../accounts/factors.repository.js';
import { PasskeysRepository } from '../../accounts/passkeys.repository.js';
import { SealedSecretsRepository } from '../../accounts/sealed-secrets.repository.js';
import { Totp } from './totp.js';

/** Makes the factors injectable everywhere: a guard of every route asks for them. */
@Global()
@Module({
  providers: [PasskeysRepository, FactorsRepository, SealedSecretsRepository, Totp],
  exports: [PasskeysRepository, FactorsRepository, SealedSecretsRepository, Totp],
})
export class FactorsModule {}
