/** Wraps work so that it never runs twice at once: whoever asks while it is under way shares its outcome. */
export function oneAtATime<T>(work: () => Promise<T>): () => Promise<T> {
  let underway: Promise<T> | undefined;
  return () => {
    underway ??= work().finally(() => {
      underway = undefined;
    });
    return underway;
  };
}
