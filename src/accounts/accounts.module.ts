import { Global, Module } from '@nestjs/common';
import { CronTasks } from '../cron/cron-tasks.js';
import { OneTimeTokens } from './one-time-tokens.repository.js';

/** Makes the OneTimeTokens injectable everywhere. */
@Global()
@Module({ providers: [OneTimeTokens], exports: [OneTimeTokens] })
export class TokensModule {
  constructor(cron: CronTasks) {
    cron.prune({ table: 'one_time_tokens', keptDays: 0 });
  }
}
