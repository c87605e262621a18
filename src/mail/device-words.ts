import { deviceSigns } from '../words/device-name.js';
import type { Language } from '../words/language.js';
import { Word } from '../words/words.js';

/** The program that a user agent names, in the words that follow “with”. All of them are ours, as in `deviceName`. */
export function deviceInWords(userAgent: string | null, language: Language): string {
  const { browser, system } = deviceSigns(userAgent);
  if (browser && system) return language.say(Word['mail.device'], { browser, system });
  if (browser) return browser;
  return system
    ? language.say(Word['mail.device.system'], { system })
    : language.say(Word['mail.device.unknown']);
}
