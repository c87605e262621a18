import { type DynamicModule, Module } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { Languages } from './languages.js';
import { type OwnMessages, OwnWords } from './own-words.js';

/** The words that a product in the same process passed to `serve`. */
export const OWN_MESSAGES = Symbol('own messages');

/** What is said to people, with the words of a product over ours. */
@Module({})
export class WordsModule {
  static with(messages: OwnMessages = {}): DynamicModule {
    return {
      module: WordsModule,
      global: true,
      providers: [
        {
          provide: OwnWords,
          inject: [Environment],
          useFactory: (environment: Environment) => OwnWords.read(environment, messages),
        },
        { provide: OWN_MESSAGES, useValue: messages },
        { provide: Languages, inject: [Environment, OwnWords], useFactory: Languages.read },
      ],
      exports: [OwnWords, OWN_MESSAGES, Languages],
    };
  }
}
