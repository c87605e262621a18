import { isIP, isIPv4, isIPv6 } from 'node:net';

/** A node with a port, or an IPv6 address in brackets: `192.0.2.43:47011`, `[2001:db8::17]:_gazonk`. */
const NODE = /^(?:\[(?<six>[^\]]+)\]|(?<four>[\d.]+))(?::(?:\d{1,5}|_[\w.-]+))?$/;

/**
 * The address in one element of X-Forwarded-For, in each form that RFC 7239 §6 has for a node. Returns null for
 * `unknown`, for a name that hides the address, and for what is no node.
 */
export function addressOfNode(element: string): string | null {
  const node = withoutZone(unquoted(element));
  if (isIP(node)) return node;
  const { six = '', four = '' } = NODE.exec(node)?.groups ?? {};
  if (isIPv6(six)) return six;
  return isIPv4(four) ? four : null;
}

/** The zone of a link-local address means something only to the machine that wrote it (RFC 6874). */
export function withoutZone(address: string): string {
  return address.replace(/%[^\]]*/, '');
}

function unquoted(element: string): string {
  const isQuoted = element.length > 1 && element.startsWith('"') && element.endsWith('"');
  return isQuoted ? element.slice(1, -1) : element;
}
