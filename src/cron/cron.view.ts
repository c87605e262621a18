import { count, counts, type DescribedFields, flag, nullable, object } from '../validation/schema.js';
import type { CronRun } from './cron.service.js';

export const cronFields = {
  pruned: counts,
  reconciled: nullable(object({ customers: count, corrected: count, failed: count })),
  skipped: flag,
  complete: flag,
  duration_ms: count,
};

/** What a scheduler sees of a run. */
export function cronView({
  pruned,
  reconciled,
  skipped,
  complete,
  durationMs,
}: CronRun): DescribedFields<typeof cronFields> {
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
