import { Injectable } from '@nestjs/common';
import { version } from '../config/version.js';
import { Metrics } from './metrics.js';

/** Which version runs: two at once for long are an update that was never finished. */
@Injectable()
export class BuildMetrics {
  constructor(metrics: Metrics) {
    const build = { version: version(), node: process.versions.node };
    metrics.replicaGauge(
      'build_info',
      'Always 1, with the versions of the service and of Node.',
      ['version', 'node'],
      (gauge) => gauge.set(build, 1),
    );
  }
}
