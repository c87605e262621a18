import { describe, expect, it } from '@jest/globals';
import jsQr from 'jsqr';
import { type Modules, qrCode } from './spa/qr.js';

/** How many modules of light a reader wants around the code. */
const QUIET = 4;
const PIXELS = 3;

describe('the QR code of the pages', () => {
  it('is what another program reads, whatever its size', () => {
    // Sizes with one block and several, without and with a version number, and the last one before the next size.
    for (const length of [1, 14, 15, 106, 122, 180, 213, 300, 331, 412, 1000, 1500, 2331]) {
      const text = Array.from({ length }, (_, index) => String.fromCharCode(33 + ((index * 7) % 94))).join(
        '',
      );
      expect(read(qrCode(text))).toBe(text);
    }
  });

  it('can be read with a stain on it', () => {
    const uri =
      'otpauth://totp/Example:ada%40example.com?issuer=Example&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
    const modules = qrCode(uri);
    for (let y = 22; y < 28; y++) modules[y]?.fill(true, 22, 28);

    expect(read(modules)).toBe(uri);
  });

  it('has characters outside of ASCII as UTF-8', () => {
    expect(read(qrCode('Zoë 東京'))).toBe('Zoë 東京');
  });

  it('refuses a text that no QR code has room for', () => {
    expect(() => qrCode('x'.repeat(2332))).toThrow('The text is too long for a QR code.');
  });
});

/** Draws modules as a camera sees them, and reads that. */
function read(modules: Modules): string | undefined {
  const width = (modules.length + 2 * QUIET) * PIXELS;
  const picture = new Uint8ClampedArray(width * width * 4).fill(255);
  for (let y = 0; y < width; y++)
    for (let x = 0; x < width; x++) {
      const isDark = modules[Math.floor(y / PIXELS) - QUIET]?.[Math.floor(x / PIXELS) - QUIET];
      if (isDark) picture.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3);
    }
  return jsQr.default(picture, width, width)?.data;
}
