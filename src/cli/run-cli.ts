import type { Product } from '../start/product.js';
import { refuseToStart } from '../start/refuse-to-start.js';

/**
 * Runs the command that the arguments of the process name, on a service with what a product adds. Where it fails it
 * prints the reason, and ends the process with 1.
 */
export async function runCli(product: Product = {}): Promise<void> {
  // Loaded only here: what serves does not carry the commands.
  const { commandLine } = await import('./program.js');
  await commandLine(product).parseAsync().catch(refuseToStart);
}
