/**
 * The form in which an email address is stored and compared: lower case.
 *
 * A letter beyond ASCII whose lower case would begin with an ASCII letter keeps its form (İ, and the Kelvin
 * sign K): otherwise an address somebody else owns would count as the ASCII one it resembles.
 */
export function canonicalAddress(address: string): string {
  return address.replace(/\p{Lu}/gu, (letter) => {
    const lower = letter.toLowerCase();
    return isAscii(letter) || !isAscii(lower.charAt(0)) ? lower : letter;
  });
}

function isAscii(character: string): boolean {
  return character.charCodeAt(0) < 128;
}
