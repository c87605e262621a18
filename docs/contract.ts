// npm run contract: writes what the client knows of the service.
import { writeFileSync } from 'node:fs';
import { clientContract } from './contract-types.js';

writeFileSync('src/client/contract.ts', await clientContract());
