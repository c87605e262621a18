import { Global, Module } from '@nestjs/common';
import { Background } from './background.js';
import { JobMetrics } from './job-metrics.js';

@Global()
@Module({ providers: [Background, JobMetrics], exports: [Background, JobMetrics] })
export class BackgroundModule {}
