import { Global, Module } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { Links } from './links.js';
import { Mailer } from './mailer.js';
import { StubMailer } from './stub.mailer.js';

/** Binds the Mailer to the provider that `SVC_EMAIL_PROVIDER` names. */
@Global()
@Module({
  providers: [
    {
      provide: Mailer,
      inject: [Environment],
      useFactory: ({ emailProvider }: Environment): Mailer => {
        switch (emailProvider) {
          case 'stub':
            return new StubMailer();
          default:
            throw new Error(
              `SVC_EMAIL_PROVIDER ${emailProvider} cannot be used yet: this version only has the stub`,
            );
        }
      },
    },
    Links,
  ],
  exports: [Mailer, Links],
})
export class MailModule {}
