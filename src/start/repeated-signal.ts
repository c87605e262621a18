const REPEATED_WITHIN_MS = 1_000;

/**
 * Returns what says of each signal whether it repeats one of a moment ago. npm passes on to the service what a terminal
 * or systemd sends to the whole process group, so that one Ctrl-C would otherwise count as two, which ends the service
 * at once.
 */
export function repetitions(): () => boolean {
  let lastAt = Number.NEGATIVE_INFINITY;
  return () => {
    const isRepeated = performance.now() - lastAt < REPEATED_WITHIN_MS;
    if (!isRepeated) lastAt = performance.now();
    return isRepeated;
  };
}
