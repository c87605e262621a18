import { typed } from './codes.js';
import { onSubmit } from './form.js';
import { qrCode } from './qr.js';
import { fill, find, showPart } from './view.js';

/** Light modules around the code, without which no camera finds it (ISO/IEC 18004 §5.3.8). */
const QUIET_ZONE = 4;

/** Shows in a section how users add their account to an authenticator app, and takes a code of it. */
export function setUpApp(
  section: HTMLElement,
  { secret, uri }: { secret: string; uri: string },
  cancelPage: string,
  confirm: (code: string) => Promise<void>,
): void {
  showPart(section, 'authenticator-app');
  draw(find<SVGSVGElement>(section, 'svg'), uri);
  fill(section, { secret: inGroups(secret) });
  find<HTMLAnchorElement>(section, '#open-app').href = uri;
  find<HTMLAnchorElement>(section, '#stop').href = cancelPage;
  onSubmit(find(section, '#confirm-app'), ({ code }) => confirm(typed(code)));
}

/** Draws a QR code in the page itself: another site would get to see the secret. */
function draw(picture: SVGSVGElement, text: string): void {
  const modules = qrCode(text);
  const size = modules.length + 2 * QUIET_ZONE;
  picture.setAttribute('viewBox', `-${QUIET_ZONE} -${QUIET_ZONE} ${size} ${size}`);
  const dark = modules.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
  find<SVGPathElement>(picture, 'path').setAttribute('d', dark.join(''));
}

/** A secret as a user can type it without losing the place. */
function inGroups(secret: string): string {
  return secret.replace(/.{4}(?=.)/g, '$& ');
}
