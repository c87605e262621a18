import { type Pruned, PruneService } from '../cron/prune.service.js';
import { withService } from './with-service.js';

/** `prune`: what /cron does, from the command line, until nothing is left. */
export async function prune({ dryRun: isDryRun = false }): Promise<void> {
  await withService(async (service) => {
    const run = () =>
      service.get(PruneService).prune({ isDryRun, report: (line: string) => console.error(line) });
    let total = await run();
    while (!total.complete) total = together(total, await run());
    console.log(
      JSON.stringify({ pruned: total.pruned, skipped: total.skipped, duration_ms: total.durationMs }),
    );
  });
}

/** What two runs did, one after the other. */
function together(one: Pruned, next: Pruned): Pruned {
  const pruned = { ...one.pruned };
  for (const [table, rows] of Object.entries(next.pruned)) pruned[table] = (pruned[table] ?? 0) + rows;
  return { ...next, pruned, durationMs: one.durationMs + next.durationMs };
}
