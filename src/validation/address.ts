import { domainToASCII, domainToUnicode } from 'node:url';

/** UTF-16 units that 254 code points have at most: an address has no more (RFC 5321 §4.5.3.1). */
const MAX_LENGTH = 2 * 254;

/**
 * The form in which an email address is stored, shown and compared: without outer whitespace, the local part in lower
 * case and NFC, the domain in its ASCII form (UTS 46). Returns null for a text that cannot be an address; a long one is
 * none, and is not looked at further, because both forms take a time that grows with the square of the length.
 */
export function canonicalAddress(address: string): string | null {
  if (address.trim().length > MAX_LENGTH) return null;
  const { local, domain } = partsOf(address);
  if (domain === null || isMisleading(address.trim())) return null;
  const ascii = asciiDomain(domain);
  return ascii === null ? null : `${canonicalLocal(local)}@${ascii}`;
}

/** How an address in that form begins, when this is how it is typed. Returns null for a text too long for that. */
export function canonicalPrefix(prefix: string): string | null {
  if (prefix.trim().length > MAX_LENGTH) return null;
  const { local, domain } = partsOf(prefix);
  if (domain === null) return canonicalLocal(local);
  return `${canonicalLocal(local)}@${asciiDomain(domain) ?? domain.toLowerCase()}`;
}

/**
 * One form for all tags of a mailbox: `ada+news@example.com` and `ada+shop@example.com` are `ada+@example.com`. For
 * counting only: whether a provider delivers a tag to the mailbox before it, the service does not know.
 */
export function withoutTag(address: string): string {
  const [plus, at] = [address.indexOf('+'), address.lastIndexOf('@')];
  return 0 < plus && plus < at ? address.slice(0, plus + 1) + address.slice(at) : address;
}

/** The last @ ends the local part; a domain has none. */
function partsOf(address: string): { local: string; domain: string | null } {
  const trimmed = address.trim();
  const at = trimmed.lastIndexOf('@');
  return at < 0
    ? { local: trimmed, domain: null }
    : { local: trimmed.slice(0, at), domain: trimmed.slice(at + 1) };
}

/**
 * A letter beyond ASCII whose lower case would begin with an ASCII letter keeps its form (İ): otherwise an address
 * of one person would count as the ASCII one of another, which it resembles.
 */
function canonicalLocal(local: string): string {
  const lower = local.normalize('NFC').replace(/[\p{Lu}\p{Lt}]/gu, (letter) => {
    const small = letter.toLowerCase();
    return isAscii(letter) || !isAscii(small.charAt(0)) ? small : letter;
  });
  // A capital that has no form of its own with an accent may have a small one (J̌ and ǰ).
  return lower.normalize('NFC');
}

/** Returns null when a domain has no ASCII form. */
function asciiDomain(domain: string): string | null {
  if (/^[a-z\d.-]*$/i.test(domain) && !/xn--/i.test(domain)) return domain.toLowerCase();
  // Node reads a domain as that of a URL, whose host ends at a slash, and may be an escape or a number.
  if (/(?=\p{ASCII})[^a-z\d.-]/iu.test(domain)) return null;
  const ascii = domainToASCII(domain);
  // Node 24 leaves a label that is no Punycode as it is.
  return ascii === '' || /\bxn--/.test(domainToUnicode(ascii)) ? null : ascii;
}

/**
 * Whether an address has a character that cannot be seen, or one that NFKC turns into ASCII: ＠ and ． would become
 * another address where a mail server normalises, and the Kelvin sign becomes the k of another person's address.
 */
function isMisleading(address: string): boolean {
  return (
    /[\p{Cc}\p{Cf}]/u.test(address) ||
    [...address].some((character) => !isAscii(character) && /\p{ASCII}/u.test(character.normalize('NFKC')))
  );
}

function isAscii(character: string): boolean {
  return character.charCodeAt(0) < 128;
}
