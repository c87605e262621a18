/** Some work that is never done twice at once: who asks while it is under way gets what comes of that. */
export function oneAtATime<T>(work: () => Promise<T>): () => Promise<T> {
  let underway: Promise<T> | undefined;
  return () => {
    underway ??= work().finally(() => {
      underway = undefined;
    });
    return underway;
  };
}
