import { Global, Module } from '@nestjs/common';
import { Background } from './background.js';
import { JobMetrics } from './job-metrics.js';
import { Pace } from './pace.js';

@Global()
@Module({ providers: [Background, JobMetrics, Pace], exports: [Background, JobMetrics, Pace] })
export class BackgroundModule {}
