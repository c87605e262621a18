import { Global, Module } from '@nestjs/common';
import { FactorsRepository } from './factors.repository.js';
import { PasskeysRepository } from './passkeys.repository.js';
import { Totp } from './totp.js';

/** Makes the factors injectable everywhere: a guard of every route asks for them. */
@Global()
@Module({
  providers: [PasskeysRepository, FactorsRepository, Totp],
  exports: [PasskeysRepository, FactorsRepository, Totp],
})
export class FactorsModule {}
