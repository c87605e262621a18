import type { IncomingHttpHeaders } from 'node:http';

/** The cookies of the requests under way: guards and handlers ask several times for those of one. */
const known = new WeakMap<IncomingHttpHeaders, Map<string, string[]>>();

/** The values of the cookies of a name that a request carries. */
export function cookieValues(headers: IncomingHttpHeaders, name: string): string[] {
  let cookies = known.get(headers);
  if (cookies === undefined) {
    cookies = parse(headers.cookie ?? '');
    known.set(headers, cookies);
  }
  return cookies.get(name) ?? [];
}

function parse(header: string): Map<string, string[]> {
  const cookies = new Map<string, string[]>();
  for (const pair of header.split(';').map(trimmed)) {
    const end = pair.indexOf('=');
    if (end < 0) continue;
    const name = pair.slice(0, end);
    const values = cookies.get(name);
    if (values) values.push(pair.slice(end + 1));
    else cookies.set(name, [pair.slice(end + 1)]);
  }
  return cookies;
}

/**
 * Without the SP and HTAB around it, which are all that browsers take off (RFC 6265bis §5.6): a neighbouring host can
 * plant a cookie whose name begins with another blank, such as U+00A0, and a browser would not hold it to the prefix
 * that follows. By index: an expression for the blanks at the end would try again from each blank before.
 */
function trimmed(pair: string): string {
  let start = 0;
  let end = pair.length;
  while (isBlank(pair[start])) start++;
  while (end > start && isBlank(pair[end - 1])) end--;
  return pair.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
