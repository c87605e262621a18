import { Module } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { LanguageCookie } from '../http/language-cookie.js';
import { Assets } from './assets.js';
import { MissingPages } from './missing-pages.js';
import { OWN_STYLE, OwnStyle } from './own-style.js';
import { PageLanguage } from './page-language.js';
import { PagesController } from './pages.controller.js';
import { Shell } from './shell.js';

/** The service's own pages. Where `SVC_PAGES` turns them off, this file is not even loaded. */
@Module({
  controllers: [PagesController],
  providers: [
    { provide: OWN_STYLE, inject: [Environment], useFactory: OwnStyle.read },
    Assets,
    Shell,
    PageLanguage,
    LanguageCookie,
    MissingPages,
  ],
})
export class PagesModule {}
