import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { ImportsRepository } from '../../accounts/imports.repository.js';
import { RecordRules, Transactions } from '../../audit/transactions.js';
import { TotpService } from '../../auth/second-factor/totp.service.js';
import { Environment } from '../../config/environment.js';
import type { Product } from '../../start/product.js';
import { withService } from '../with-service.js';
import { Importer, type Outcome } from './importer.js';
import { type Line, linesOf } from './lines.js';
import { print } from './print.js';

/** Lines of a transaction: it holds the rows of organizations, so that it must be short. */
const BATCH = 25;

/** Requests come first: it rests after each transaction for twice as long as that took, but no longer than this. */
const MAX_REST_MS = 75;

/** Lines between two reports of how far it is. */
const REPORTED = 5_000;

/**
 * `import <file>`: puts the users and organizations of a file into the database, and prints what became of each line. Killed
 * and called again, it goes on where it was: what is there is left alone. Exits with 1 if a line was refused.
 */
export async function importAccounts(
  product: Product,
  file: string,
  { dryRun: isDryRun = false },
): Promise<void> {
  if (file !== '-') await access(file);
  await withService(product, async (service) => {
    const environment = service.get(Environment);
    const database = service.get(DataSource);
    const importer = new Importer(
      // No endpoint is sent what was imported: the result is the list, and a million events would hold up the others.
      new Transactions(database, new RecordRules({ ...environment, webhooks: [] })),
      new ImportsRepository(),
      service.get(TotpService),
      { orgsPerUser: environment.orgsPerUser, isDryRun },
    );

    const counts = { created: 0, exists: 0, refused: 0 };
    let lines = 0;
    const report = () =>
      console.error(
        `${lines} lines: ${counts.created} ${isDryRun ? 'would be created' : 'created'}, ${counts.exists} there already, ${counts.refused} refused`,
      );
    const input = file === '-' ? process.stdin : createReadStream(file);
    for await (const batch of inBatches(linesOf(input))) {
      const startedAt = performance.now();
      const outcomes = await importer.import(batch);
      await print(outcomes.map(textOf).join(''));
      await sleep(Math.min(2 * (performance.now() - startedAt), MAX_REST_MS));
      for (const { outcome } of outcomes) counts[outcome] += 1;
      lines += batch.length;
      if (lines % REPORTED === 0) report();
    }
    report();
    if (counts.refused > 0) process.exitCode = 1;
  });
}

async function* inBatches(lines: AsyncIterable<Line>): AsyncGenerator<Line[]> {
  let batch: Line[] = [];
  for await (const line of lines) {
    batch.push(line);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function textOf(outcome: Outcome): string {
  return `${JSON.stringify(outcome)}\n`;
}
