import { Module, type OnModuleInit } from '@nestjs/common';
import { CronTasks } from '../cron/cron-tasks.js';
import { CountingPool } from './limit-counter.repository.js';
import { LimitMetrics } from './limit-metrics.js';
import { Limits } from './limits.js';

@Module({
  providers: [Limits, LimitMetrics, CountingPool],
  exports: [Limits],
})
export class LimitsModule implements OnModuleInit {
  constructor(private readonly cron: CronTasks) {}

  onModuleInit(): void {
    this.cron.prune({ table: 'rate_limits', keptDays: 0 });
  }
}
