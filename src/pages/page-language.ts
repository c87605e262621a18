import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { LanguageCookie } from '../http/language-cookie.js';
import type { Language } from '../words/language.js';
import { Languages } from '../words/languages.js';
import { rangesOf } from '../words/lookup.js';

/** Of `ui_locales` so much is read. */
const MAX_CHARACTERS = 200;
const MAX_TAGS = 10;

/** Whose language a page is in. */
@Injectable()
export class PageLanguage {
  constructor(
    private readonly languages: Languages,
    private readonly cookie: LanguageCookie,
  ) {}

  /**
   * What the link asks for (OpenID Connect Core §3.1.2.1), what was chosen for this browser, or what the browser prefers: the first
   * of them that names a language which is served, else the default. Each may be anything, as a stranger writes it.
   */
  of(request: FastifyRequest): Language {
    const { languages } = this;
    return (
      languages.find(tagsIn((request.query as Record<string, unknown>).ui_locales)) ??
      languages.find([this.cookie.read(request) ?? ''].filter(Boolean)) ??
      languages.find(rangesOf(request.headers['accept-language'])) ??
      languages.default
    );
  }
}

/** The tags of `ui_locales`, which blanks separate; none where it is there twice. */
function tagsIn(asked: unknown): string[] {
  if (typeof asked !== 'string') return [];
  return asked.slice(0, MAX_CHARACTERS).split(' ').filter(Boolean).slice(0, MAX_TAGS);
}
