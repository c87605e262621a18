import { Global, Module } from '@nestjs/common';
import { LimitsModule } from '../rate-limits/limits.module.js';
import { HttpMetrics } from './http-metrics.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';

/** Makes the Metrics injectable everywhere, and answers `/metrics`. */
@Global()
@Module({
  imports: [LimitsModule],
  controllers: [MetricsController],
  providers: [Metrics, HttpMetrics],
  exports: [Metrics],
})
export class MetricsModule {}
