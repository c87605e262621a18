/**
 * The address that a text is; null when it is none. In place of `URL.canParse`, which on Node 20 denies one with an `ü` in
 * it once the compiler has optimised the call.
 */
export function parsedUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
