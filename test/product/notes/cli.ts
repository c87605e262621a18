import { runCli } from 'latchkey';
import { product } from './product.js';

await runCli(product);
