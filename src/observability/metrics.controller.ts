import { Controller, Get, Header } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Answers, BearerSecret, Operation, Public } from '../http/route.js';
import { Metrics } from './metrics.js';

@Controller('metrics')
@Public()
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  @BearerSecret('metricsToken')
  @Header('content-type', Registry.PROMETHEUS_CONTENT_TYPE)
  @Operation('scrapeMetrics', 'The figures of this replica, as Prometheus reads them.')
  @Answers(200, 'text/plain')
  scrape() {
    return this.metrics.scrape();
  }
}
