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
import { EndpointWorker } from './endpoint-worker.js';
import { WebhookDelivery } from './webhook-delivery.entity.js';
import { WebhookHealth } from './webhook-health.js';
import { WebhookMetrics } from './webhook-metrics.js';
import { WebhookOutage } from './webhook-outage.entity.js';
import { WebhookPost } from './webhook-post.js';
import { WebhookSubjectsRepository } from './webhook-subjects.repository.js';

@Module({
  imports: [TypeOrmModule.forFeature([WebhookDelivery, WebhookOutage])],
  providers: [
    WebhookSubjectsRepository,
    WebhookPost,
    WebhookMetrics,
    WebhookHealth,
    DeliveryLedgerRepository,
    DeliveriesService,
  ],
})
export class WebhooksModule implements OnModuleInit {
  constructor(
    private readonly database: DataSource,
    private readonly background: Background,
    private readonly pace: Pace,
    private readonly cron: CronTasks,
    private readonly subjects: WebhookSubjectsRepository,
    private readonly post: WebhookPost,
    private readonly metrics: WebhookMetrics,
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
