import jsQr from 'jsqr';
import { AuthenticatorApp } from '../support/authenticator-app.js';
import type { Visitor } from './visitor.js';

/** What a camera sees: a 1 for each dark pixel, row by row. */
interface Photo {
  width: number;
  pixels: string;
}

/** Adds an authenticator app on the page that shows its QR code, and keeps the recovery codes. */
export async function addApp(visitor: Visitor): Promise<AuthenticatorApp> {
  const app = await scan(visitor);
  await visitor.submit('Confirm the code', { 'Code that the app shows now': app.code() });
  await visitor.tick('I have kept the codes in a safe place');
  await visitor.submit('Continue');
  return app;
}

/** The authenticator app of a visitor, once they have pointed the camera at the page. */
export async function scan(visitor: Visitor): Promise<AuthenticatorApp> {
  const png = (await visitor.find('img', 'QR code', { isPart: true }).screenshot()).toString('base64');
  const { width, pixels } = await visitor.page.evaluate<Photo>(`
    (async () => {
      const bytes = Uint8Array.from(atob('${png}'), (byte) => byte.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes]));
      const { width, height } = bitmap;
      const canvas = new OffscreenCanvas(width, height).getContext('2d');
      canvas.drawImage(bitmap, 0, 0);
      const { data } = canvas.getImageData(0, 0, width, height);
      const pixels = Array.from({ length: width * height }, (_, index) => Number(data[index * 4] < 128));
      return { width, pixels: pixels.join('') };
    })()`);
  const rgba = [...pixels].flatMap((pixel) => Array<number>(4).fill(pixel === '1' ? 0 : 255));
  const code = jsQr.default(Uint8ClampedArray.from(rgba), width, pixels.length / width);
  return new AuthenticatorApp(new URL(code?.data ?? '').searchParams.get('secret') ?? '');
}
