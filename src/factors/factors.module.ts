import { Global, Module } from '@nestjs/common';
import { PasskeysRepository } from './passkeys.repository.js';

/** Makes the repository of the factors injectable everywhere: a guard of every route asks it. */
@Global()
@Module({ providers: [PasskeysRepository], exports: [PasskeysRepository] })
export class FactorsModule {}
