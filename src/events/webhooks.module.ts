import { Module } from '@nestjs/common';
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
export class WebhooksModule {
  constructor(
    database: DataSource,
    background: Background,
    pace: Pace,
    cron: CronTasks,
    subjects: WebhookSubjectsRepository,
    post: WebhookPost,
    metrics: WebhookMetrics,
    { webhooks, cronDeliveryRetentionDays: keptDays }: Environment,
  ) {
    const queue = new LeasedQueueRepository<ClaimedDelivery>(database, DELIVERIES);
    for (const endpoint of webhooks)
      background.add(new EndpointWorker(endpoint, queue, subjects, post, metrics, pace));
    cron.prune({ table: DELIVERIES.table, overAt: 'finished_at', keptDays });
  }
}
