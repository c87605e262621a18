/** The result with the first key that fits. Throws the error of the last one when none fits. */
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
