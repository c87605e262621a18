import { Global, Module } from '@nestjs/common';
import { ProblemFilter } from './problem.filter.js';

@Global()
@Module({ providers: [ProblemFilter], exports: [ProblemFilter] })
export class ProblemsModule {}
