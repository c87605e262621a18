// npm run contract: writes what the client knows of the service.
// npm run contract -- --check: writes nothing, and fails when that is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { clientContract } from './contract-types.js';

const FILE = 'src/client/contract.ts';

const contract = await clientContract();
if (!process.argv.includes('--check')) writeFileSync(FILE, contract);
else if (readFileSync(FILE, 'utf8') !== contract) {
  console.error(`${FILE} is stale; run npm run contract`);
  process.exit(1);
}
