/** Types the digits of a text as the keyboard of a script does that has this zero. */
export function digitsOf(zero: string): (text: string) => string {
  return (text) => text.replace(/\d/g, (digit) => String.fromCharCode(zero.charCodeAt(0) + Number(digit)));
}
