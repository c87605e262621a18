import { Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Environment } from '../config/environment.js';
import { CronTasks } from '../cron/cron-tasks.js';
import { Background } from '../queues/background.js';
import { LeasedQueue } from '../queues/leased-queue.repository.js';
import { Pace } from '../queues/pace.js';
import { type ClaimedDelivery, DELIVERIES } from './deliveries.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryLedger } from './delivery-ledger.repository.js';
import { EndpointWorker } from './endpoint-worker.js';
import { WebhookHealth } from './webhook-health.js';
import { WebhookMetrics } from './webhook-metrics.js';
import { WebhookPost } from './webhook-post.js';
import { WebhookSubjects } from './webhook-subjects.repository.js';

@Module({
  providers: [WebhookSubjects, WebhookPost, WebhookMetrics, WebhookHealth, DeliveryLedger, DeliveriesService],
})
export class WebhooksModule {
  constructor(
    database: DataSource,
    background: Background,
    pace: Pace,
    cron: CronTasks,
    subjects: WebhookSubjects,
    post: WebhookPost,
    metrics: WebhookMetrics,
    { webhooks, cronDeliveryRetentionDays: keptDays }: Environment,
  ) {
    const queue = new LeasedQueue<ClaimedDelivery>(database, DELIVERIES);
    for (const endpoint of webhooks)
      background.add(new EndpointWorker(endpoint, queue, subjects, post, metrics, pace));
    cron.prune({ table: DELIVERIES.table, overAt: 'finished_at', keptDays });
  }
}
