/** The outcome with the first of some keys that fits. Throws as the last of them does when none fits. */
export function withAnyOf<Key, Outcome>(
  [key, ...others]: readonly [Key, ...Key[]],
  attempt: (key: Key) => Outcome,
): Outcome {
  const [next, ...rest] = others;
  if (next === undefined) return attempt(key);
  try {
    return attempt(key);
  } catch {
    return withAnyOf([next, ...rest], attempt);
  }
}
