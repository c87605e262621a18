import { Inject, Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { Languages, type Reader } from '../words/languages.js';
import { type OwnMessages, OwnWords } from '../words/own-words.js';
import { Links } from './links.js';
import { Messages } from './messages.js';
import { OwnFrame } from './own-frame.js';

/** The frame of a product, or null. */
export const OWN_FRAME = Symbol('own frame');

/** Writes mails in the language of who reads them. */
@Injectable()
export class MailComposer {
  constructor(
    private readonly environment: Environment,
    private readonly links: Links,
    readonly languages: Languages,
    @Inject(OWN_FRAME) private readonly frame: OwnFrame | null,
  ) {}

  /**
   * Reads the words and the frame of a product as they are now.
   *
   * @throws OperatorError when they have a fault.
   */
  static async read(environment: Environment, messages?: OwnMessages): Promise<MailComposer> {
    const languages = await Languages.read(environment, await OwnWords.read(environment, messages));
    return new MailComposer(environment, new Links(environment), languages, await OwnFrame.read(environment));
  }

  /** The tag of the language that a reader is written to in. */
  languageOf(reader: Reader): string {
    return this.languages.for(reader).tag;
  }

  /** What can be written to a reader; as a test, each subject says so. */
  for(reader: Reader, { isTest = false } = {}): Messages {
    const language = this.languages.for(reader);
    // Where there is but one language, links need not name it.
    const links = this.languages.tags.length > 1 ? this.links.in(language.tag) : this.links;
    return new Messages(this.environment, links, language, this.frame, isTest);
  }
}
