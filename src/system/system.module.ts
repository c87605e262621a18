import { Module, type OnModuleInit } from '@nestjs/common';
import { BillingModule } from '../billing/billing.module.js';
import { CronTasks } from '../cron/cron-tasks.js';
import { UsersModule } from '../users/users.module.js';
import { ConnectionController } from './connection.controller.js';
import { FiguresRepository } from './figures.repository.js';
import { FiguresService } from './figures.service.js';
import { SystemController } from './system.controller.js';
import { SystemService } from './system.service.js';

/** What the people who run the service see of it as a whole. */
@Module({
  imports: [BillingModule, UsersModule],
  controllers: [SystemController, ConnectionController],
  providers: [SystemService, FiguresService, FiguresRepository],
})
export class SystemModule implements OnModuleInit {
  constructor(
    private readonly figures: FiguresService,
    private readonly cron: CronTasks,
  ) {}

  onModuleInit(): void {
    this.cron.also('figures', () => this.figures.prepare());
  }
}
