import { Global, Module } from '@nestjs/common';
import { Background } from './background.js';

@Global()
@Module({ providers: [Background], exports: [Background] })
export class BackgroundModule {}
