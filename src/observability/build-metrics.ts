import { Injectable } from '@nestjs/common';
import { commit, version } from '../config/version.js';
import { Metrics } from './metrics.js';

/** Which build runs: two at once for long are an update that was never finished. */
@Injectable()
export class BuildMetrics {
  constructor(metrics: Metrics) {
    const build = { version: version(), commit: commit(), node: process.versions.node };
    metrics.replicaGauge(
      'build_info',
      'Always 1, with the version of the service, the commit of its build, and the version of Node.',
      ['version', 'commit', 'node'],
      (gauge) => gauge.set(build, 1),
    );
  }
}
