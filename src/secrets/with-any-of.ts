/** The result with the first of some keys that fits. Throws as the last of them does when none fits. */
export function withAnyOf<Key, Result>(
  [key, ...others]: readonly [Key, ...Key[]],
  attempt: (key: Key) => Result,
): Result {
  const [next, ...rest] = others;
  if (next === undefined) return attempt(key);
  try {
    return attempt(key);
  } catch {
    return withAnyOf([next, ...rest], attempt);
  }
}
