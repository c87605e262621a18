import { PruneService } from '../cron/prune.service.js';
import { withService } from './with-service.js';

/** `prune`: what /cron does, from the command line, until nothing is left. */
export async function prune({ dryRun: isDryRun = false }): Promise<void> {
  await withService(async (service) => {
    const report = (line: string) => console.error(line);
    let run = await service.get(PruneService).prune({ isDryRun, report });
    while (!run.complete) run = await service.get(PruneService).prune({ isDryRun, report });
    console.log(JSON.stringify({ pruned: run.pruned, skipped: run.skipped, duration_ms: run.durationMs }));
  });
}
