import { Global, Module } from '@nestjs/common';
import { BuildMetrics } from './build-metrics.js';
import { HttpMetrics } from './http-metrics.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';

/** Makes the Metrics injectable everywhere, and answers `/metrics`. */
@Global()
@Module({
  controllers: [MetricsController],
  providers: [Metrics, BuildMetrics, HttpMetrics],
  exports: [Metrics],
})
export class MetricsModule {}
