import { generate } from 'lean-qr';
import { toSvgPath } from 'lean-qr/extras/svg';

/** A QR code as the path of an SVG, and how many modules it is wide. */
export function qrCode(text: string): { path: string; size: number } {
  const code = generate(text);
  return { path: toSvgPath(code), size: code.size };
}
