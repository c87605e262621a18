import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { ProblemFilter } from '../http/problem.filter.js';
import { OWN_STYLE, type OwnStyle } from './own-style.js';
import { PageLanguage } from './page-language.js';
import { pageHeaders } from './policy.js';
import { Shell } from './shell.js';

const NOT_FOUND = 404;
const PERMANENT_REDIRECT = 308;

/** A path below those of the pages, with its area, and the slashes at its end. */
const PATH = /^\/(ui|admin)(?:\/[^?]*?)??(\/*)$/;

/** Shows a browser that asks for a page which is not there where to go on. A program gets the problem, as everywhere. */
@Injectable()
export class MissingPages implements OnModuleInit {
  private readonly headers: Record<string, string>;

  constructor(
    environment: Environment,
    private readonly problems: ProblemFilter,
    private readonly shell: Shell,
    private readonly language: PageLanguage,
    @Inject(OWN_STYLE) style: OwnStyle | null,
  ) {
    this.headers = pageHeaders(environment, style);
  }

  onModuleInit(): void {
    this.problems.answerBy((problem, request, reply) => {
      if (problem.getStatus() !== NOT_FOUND || !asksForPage(request)) return null;
      const [path = '', ...query] = request.url.split('?');
      const [, area, slashes = ''] = PATH.exec(path) ?? [];
      if (area === undefined) return null;
      return slashes === ''
        ? this.show(path, area as 'ui' | 'admin', request, reply)
        : this.leadTo([withoutSlashes(path), ...query].join('?'), reply);
    });
  }

  private async show(
    path: string,
    area: 'ui' | 'admin',
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const language = this.language.of(request);
    const document = await this.shell.missing(path, area, language);
    reply
      .code(NOT_FOUND)
      .headers({ ...this.headers, 'content-language': language.tag })
      .send(document);
  }

  private async leadTo(address: string, reply: FastifyReply): Promise<void> {
    reply.code(PERMANENT_REDIRECT).header('location', address).send();
  }
}

function asksForPage({ method, headers }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(headers.accept ?? '');
}

/** The address of a path without the slashes at its end, as seen from that path: a proxy may serve it under another. */
function withoutSlashes(path: string): string {
  const [, name, slashes] = /([^/]+)(\/+)$/.exec(path) as unknown as [string, string, string];
  return `${'../'.repeat(slashes.length)}${name}`;
}
