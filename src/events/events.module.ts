import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Environment } from '../config/environment.js';
import { CronTasks } from '../cron/cron-tasks.js';
import { Background } from '../queues/background.js';
import { LeasedQueueRepository } from '../queues/leased-queue.repository.js';
import { Pace } from '../queues/pace.js';
import { type ClaimedDelivery, DELIVERIES } from './deliveries.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryLedgerRepository } from './delivery-ledger.repository.js';
import { EndpointOutage } from './endpoint-outage.entity.js';
import { EndpointWorker } from './endpoint-worker.js';
import { EventDelivery } from './event-delivery.entity.js';
import { EventHealth } from './event-health.js';
import { EventMetrics } from './event-metrics.js';
import { EventPost } from './event-post.js';
import { EventSubjectsRepository } from './event-subjects.repository.js';

@Module({
  imports: [TypeOrmModule.forFeature([EventDelivery, EndpointOutage])],
  providers: [
    EventSubjectsRepository,
    EventPost,
    EventMetrics,
    EventHealth,
    DeliveryLedgerRepository,
    DeliveriesService,
  ],
})
export class EventsModule implements OnModuleInit {
  constructor(
    private readonly database: DataSource,
    private readonly background: Background,
    private readonly pace: Pace,
    private readonly cron: CronTasks,
    private readonly subjects: EventSubjectsRepository,
    private readonly post: EventPost,
    private readonly metrics: EventMetrics,
    private readonly environment: Environment,
  ) {}

  onModuleInit(): void {
    const queue = new LeasedQueueRepository<ClaimedDelivery>(this.database, DELIVERIES);
    for (const endpoint of this.environment.webhooks)
      this.background.add(
        new EndpointWorker(endpoint, queue, this.subjects, this.post, this.metrics, this.pace),
      );
    this.cron.prune({
      table: DELIVERIES.table,
      overAt: 'finished_at',
      keptDays: this.environment.cronDeliveryRetentionDays,
    });
  }
}
