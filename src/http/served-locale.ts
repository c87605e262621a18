import type { Languages } from '../words/languages.js';
import { ValidationFailed } from './errors.js';
import { fieldError } from './problem.js';

/** Throws ValidationFailed for the field `locale` of a body that is of no language which the service speaks. */
export function assertServed(locale: string | null | undefined, languages: Languages): void {
  if (locale === null || locale === undefined || languages.find([locale]) !== null) return;
  throw new ValidationFailed([fieldError('locale', { code: 'unknown_locale', choices: languages.tags })]);
}
