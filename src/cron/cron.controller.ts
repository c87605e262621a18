import { Controller, Get, Head, HttpCode, Post, Query } from '@nestjs/common';
import { IsIn } from 'class-validator';
import { OpenWhen } from '../access/app-mode.guard.js';
import { BearerSecret } from '../access/bearer-secret.guard.js';
import type { Actor } from '../audit/audit.js';
import { MethodNotAllowed } from '../errors/errors.js';
import { By } from '../sessions/caller.js';
import { Public } from '../sessions/session.guard.js';
import { CronService } from './cron.service.js';
import { cronView } from './cron.view.js';

class CronQuery {
  @IsIn(['true', 'false'])
  readonly dry_run: string = 'false';
}

@Controller('cron')
@Public()
export class CronController {
  constructor(private readonly cron: CronService) {}

  /** A HEAD is sent by what only looks: it must not do anything. */
  @Head()
  @OpenWhen(({ cronSecret }) => cronSecret !== undefined)
  head() {
    throw new MethodNotAllowed('GET, POST');
  }

  /** Some schedulers can only GET. */
  @Get()
  @BearerSecret('cronSecret')
  get(@Query() query: CronQuery, @By() by: Actor) {
    return this.run(query, by);
  }

  @Post()
  @BearerSecret('cronSecret')
  @HttpCode(200)
  async run(@Query() { dry_run }: CronQuery, @By() by: Actor) {
    return cronView(await this.cron.run({ isDryRun: dry_run === 'true', by }));
  }
}
