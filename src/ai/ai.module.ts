import { Module } from '@nestjs/common';
import { LimitsModule } from '../rate-limits/limits.module.js';
import { ActivitySummaryService } from './activity-summary.service.js';
import { AiController } from './ai.controller.js';
import { LanguageModel } from './language-model.js';
import { Turns } from './turns.js';

/** What a language model writes for users, where there is a key to one. */
@Module({
  imports: [LimitsModule],
  controllers: [AiController],
  providers: [ActivitySummaryService, LanguageModel, Turns],
})
export class AiModule {}
