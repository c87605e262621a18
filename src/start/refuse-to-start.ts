/** Prints to standard error why the process cannot go on, and ends it. */
export function refuseToStart(error: unknown): never {
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exit(1);
}

/** One sentence for an error that an operator can fix; the stack for one that only we can. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof TypeError || error instanceof ReferenceError) return error.stack ?? error.message;
  // A connection refused at several addresses has an empty message and a code.
  return error.message || String((error as NodeJS.ErrnoException).code);
}
