import { Global, Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { Health } from './health.js';
import { HealthMetrics } from './health-metrics.js';

/** Makes the Health injectable everywhere, and answers `/health`. */
@Global()
@Module({ controllers: [HealthController], providers: [Health, HealthMetrics], exports: [Health] })
export class HealthModule {}
