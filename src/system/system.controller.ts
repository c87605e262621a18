import { Controller, Get, Post } from '@nestjs/common';
import { CronService } from '../cron/cron.service.js';
import { cronFields, cronView } from '../cron/cron.view.js';
import { type Actor, By } from '../http/caller.js';
import { Compressed } from '../http/compression.js';
import { Role } from '../http/role.js';
import { Answers, Limited, MinRole, Operation, Personal } from '../http/route.js';
import { FiguresService } from './figures.service.js';
import { FiguresSchema, figuresView } from './figures.view.js';
import { SystemService } from './system.service.js';
import { SystemSchema } from './system.view.js';

@Personal()
@Controller('system')
@MinRole(Role.SYSTEM_ADMIN)
export class SystemController {
  constructor(
    private readonly system: SystemService,
    private readonly cron: CronService,
    private readonly figures: FiguresService,
  ) {}

  @Get()
  @Compressed()
  @Operation('getSystem', 'How the service stands, and its settings; of secrets only fingerprints.')
  @Answers(200, { system: SystemSchema })
  async get() {
    return { system: await this.system.read() };
  }

  @Get('figures')
  @Compressed()
  @Operation(
    'getFigures',
    'How many users there are and were active, and what happened on each of thirty days.',
  )
  @Answers(200, { figures: FiguresSchema })
  async getFigures() {
    return { figures: figuresView(await this.figures.read()) };
  }

  @Post('cron')
  @Limited('changePerUser')
  @Operation('runCron', 'Does what the scheduler has /cron do.')
  @Answers(200, cronFields)
  async runCron(@By() by: Actor) {
    return cronView(await this.cron.run({ by }));
  }
}
