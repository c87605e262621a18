import { type CronRun, CronService } from '../cron/cron.service.js';
import type { Product } from '../start/product.js';
import { withService } from './with-service.js';

/** `prune`: deletes what /cron deletes, until a run finds nothing left to delete. Exits with 1 if rows are left then. */
export async function prune(product: Product, { dryRun: isDryRun = false }): Promise<void> {
  await withService(product, async (service) => {
    const run = () =>
      service.get(CronService).prune({ isDryRun, report: (line: string) => console.error(line) });
    let last = await run();
    let total = last;
    while (!last.complete && hasDeleted(last)) {
      last = await run();
      total = together(total, last);
    }
    console.log(
      JSON.stringify({ pruned: total.pruned, skipped: total.skipped, duration_ms: total.durationMs }),
    );
    if (!total.complete) {
      console.error(
        'Some expired rows are left: the log names the tables that failed, or other transactions hold the rows.',
      );
      process.exitCode = 1;
    }
  });
}

function hasDeleted({ pruned }: CronRun): boolean {
  return Object.values(pruned).some((rows) => rows > 0);
}

/** What two runs did, one after the other. */
function together(one: CronRun, next: CronRun): CronRun {
  const pruned = { ...one.pruned };
  for (const [table, rows] of Object.entries(next.pruned)) pruned[table] = (pruned[table] ?? 0) + rows;
  return { ...next, pruned, durationMs: one.durationMs + next.durationMs };
}
