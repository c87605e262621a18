import { Global, Module } from '@nestjs/common';
import { Links } from './links.js';

@Global()
@Module({ providers: [Links], exports: [Links] })
export class SpaModule {}
