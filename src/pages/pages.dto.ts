import { IsLocale } from '../validation/rules.js';

export class ChosenLanguage {
  /** The tag of a language that is served. */
  @IsLocale()
  readonly language: string;
}
