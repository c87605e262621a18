import { isIP } from 'node:net';

/** Addresses from the first to the last, as numbers of 128 bits: an IPv4 address stands in its IPv4-mapped form. */
interface Range {
  first: bigint;
  last: bigint;
}

const BITS = 128;
const V4_BITS = 32;
const V4_MAPPED = 0xffffn << 32n;

/** The addresses that the internet is made of: all IPv4 below those of multicast, and 2000::/3. */
const INTERNET = [rangeOf('0.0.0.0/1'), rangeOf('128.0.0.0/2'), rangeOf('192.0.0.0/3'), rangeOf('2000::/3')];

/** Whether some blocks together hold at least half of what the internet has of IPv4, or of IPv6. */
export function coverTheInternet(blocks: string[]): boolean {
  const ranges = blocks.map(rangeOf);
  const [v4, v6] = [INTERNET.slice(0, 3), INTERNET.slice(3)];
  return [v4, v6].some((parts) => 2n * sum(parts, (part) => sizeWithin(part, ranges)) >= sum(parts, sizeOf));
}

/** An IP address as a number of 128 bits. */
export function numberOf(address: string): bigint {
  if (isIP(address) === 4) return V4_MAPPED | BigInt(`0x${hexOf(address)}`);
  const groups = groupsOf(address).map((group) => group.padStart(4, '0'));
  return BigInt(`0x${groups.join('')}`);
}

/** The eight groups of an IPv6 address, in lower case and without leading zeros. */
export function groupsOf(ipv6: string): string[] {
  const shortest = new URL(`http://[${ipv6}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = shortest.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros: string[] = Array(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail];
}

/** The dotted form of an IPv4 address, also of one in its IPv4-mapped form. */
export function ipv4Of(number: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.');
}

function hexOf(ipv4: string): string {
  return ipv4
    .split('.')
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('');
}

/** The addresses of a block such as `10.0.0.0/8`, or of a single address. */
function rangeOf(block: string): Range {
  const [address = '', prefix] = block.split('/');
  const bits = isIP(address) === 4 ? V4_BITS : BITS;
  const free = BigInt(bits - Number(prefix ?? bits));
  const first = (numberOf(address) >> free) << free;
  return { first, last: first + (1n << free) - 1n };
}

/** How many addresses of a part are in at least one of the ranges. */
function sizeWithin(part: Range, ranges: Range[]): bigint {
  const sorted = ranges.toSorted((one, other) => (one.first < other.first ? -1 : 1));
  let size = 0n;
  let from = part.first;
  for (const { first, last } of sorted) {
    const start = first > from ? first : from;
    const end = last < part.last ? last : part.last;
    if (start > end) continue;
    size += end - start + 1n;
    from = end + 1n;
  }
  return size;
}

function sizeOf({ first, last }: Range): bigint {
  return last - first + 1n;
}

function sum<T>(items: T[], size: (item: T) => bigint): bigint {
  return items.reduce((total, item) => total + size(item), 0n);
}
