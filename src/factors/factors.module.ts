import { Global, Module } from '@nestjs/common';
import { FactorsRepository } from './factors.repository.js';
import { PasskeysRepository } from './passkeys.repository.js';
import { SealedSecretsRepository } from './sealed-secrets.repository.js';
import { Totp } from './totp.js';

/** Makes the factors injectable everywhere: a guard of every route asks for them. */
@Global()
@Module({
  providers: [PasskeysRepository, FactorsRepository, SealedSecretsRepository, Totp],
  exports: [PasskeysRepository, FactorsRepository, SealedSecretsRepository, Totp],
})
export class FactorsModule {}
