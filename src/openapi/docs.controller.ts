import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { OpenWhen, Public, Undocumented } from '../http/route.js';
import { CLIENT_PACKAGE, clientPackage } from './client-package.js';
import { docsPage, PAGE_POLICY, startScript } from './docs-page.js';
import { openApiDocument } from './document.js';
import { routesIn } from './routes.js';
import { SWAGGER_UI_PATHS, swaggerUiFile, swaggerUiVersion } from './swagger-ui.js';

const WhereDocsAreOn = () => OpenWhen(areDocsOn);

@Controller()
@Public()
@Undocumented()
export class DocsController {
  constructor(
    private readonly modules: ModulesContainer,
    private readonly environment: Environment,
  ) {}

  /** Without the routes that the app mode or a missing setting closes: they answer as unknown paths do. */
  @Get('openapi.json')
  @WhereDocsAreOn()
  openApi() {
    const served = routesIn(this.modules).filter(({ isOpen }) => isOpen(this.environment));
    return openApiDocument(served, this.environment);
  }

  @Get('docs')
  @WhereDocsAreOn()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', PAGE_POLICY)
  async page() {
    return docsPage(await swaggerUiVersion());
  }

  @Get('docs/start.js')
  @WhereDocsAreOn()
  @Header('content-type', 'text/javascript; charset=utf-8')
  startScript() {
    return startScript(this.environment);
  }

  @Get(`docs/${CLIENT_PACKAGE}`)
  @WhereDocsAreOn()
  @Header('content-type', 'application/gzip')
  client() {
    return clientPackage();
  }

  /** The page names the version with each file, so that a browser may keep it. */
  @Get(SWAGGER_UI_PATHS)
  @WhereDocsAreOn()
  @Header('cache-control', 'public, max-age=31536000, immutable')
  async file(@Req() { routeOptions }: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { type, content } = await swaggerUiFile(routeOptions.url ?? '');
    reply.type(type);
    return content;
  }
}

/** As `SVC_DOCS` says; where it says nothing, on in `dev` and `beta`. */
function areDocsOn({ docs, environment }: Environment): boolean {
  return docs === undefined ? ['dev', 'beta'].includes(environment) : docs === 'on';
}
