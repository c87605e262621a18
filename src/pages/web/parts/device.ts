import { deviceSigns } from '../../../words/device-name.js';
import { say, Word } from './say.js';

/** The lines of a computer, on a square of 20. */
export const DEVICE = 'M4 4.5h12v8H4zm-2 11h16';

/** Browser and system that a user agent names. */
export function deviceOf(userAgent: string | null): string {
  const { browser, system } = deviceSigns(userAgent);
  if (browser && system) return say(Word['parts.device'], { browser, system });
  if (browser) return say(Word['parts.device.browser'], { browser });
  return system ? say(Word['parts.device.system'], { system }) : say(Word['parts.device.unknown']);
}
