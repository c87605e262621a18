const startedAt = performance.now();

/** Prints what the bench is doing, and since when. */
export function report(line) {
  const seconds = Math.floor((performance.now() - startedAt) / 1000);
  const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  console.error(`[${clock}] ${line}`);
}
