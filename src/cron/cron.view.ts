import type { CronRun } from './cron.service.js';

/** What a scheduler is told of a run. */
export function cronView({ pruned, reconciled, skipped, complete, durationMs }: CronRun) {
  return {
    pruned,
    reconciled: reconciled && {
      customers: reconciled.customers,
      corrected: reconciled.corrected,
      failed: reconciled.failed,
    },
    skipped,
    complete,
    duration_ms: durationMs,
  };
}
