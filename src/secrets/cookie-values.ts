/**
 * The values of the cookies of a name in a `Cookie` header. Only SP and HTAB are taken off, as by browsers (RFC 6265bis
 * §5.6): a neighbouring host can plant a cookie whose name begins with another blank, such as U+00A0, and a browser
 * would not hold it to the prefix that follows.
 */
export function cookieValues(header: string | undefined, name: string): string[] {
  const prefix = `${name}=`;
  return (header ?? '')
    .split(';')
    .map((pair) => pair.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length));
}
