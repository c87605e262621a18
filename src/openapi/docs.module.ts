import { Module } from '@nestjs/common';
import { DocsController } from './docs.controller.js';

/** The OpenAPI document, and a page to read it. */
@Module({ controllers: [DocsController] })
export class DocsModule {}
