import { Module } from '@nestjs/common';
import { Assets } from './assets.js';
import { MissingPages } from './missing-pages.js';
import { PagesController } from './pages.controller.js';
import { Shell } from './shell.js';

/** The service's own pages. Where `SVC_PAGES` turns them off, this file is not even loaded. */
@Module({ controllers: [PagesController], providers: [Assets, Shell, MissingPages] })
export class PagesModule {}
