import { Controller, Get, Head, HttpCode, Post, Query, UseGuards } from '@nestjs/common';
import { IsIn } from 'class-validator';
import { OpenWhen } from '../access/app-mode.guard.js';
import { MethodNotAllowed } from '../errors/errors.js';
import { Public } from '../sessions/session.guard.js';
import { CronService } from './cron.service.js';
import { cronView } from './cron.view.js';
import { CronSecretGuard } from './cron-secret.guard.js';

class CronQuery {
  @IsIn(['true', 'false'])
  readonly dry_run: string = 'false';
}

/** Without a secret there is nothing to call. */
const WithCronSecret = () => OpenWhen(({ cronSecret }) => cronSecret !== undefined);

@Controller('cron')
@Public()
@UseGuards(CronSecretGuard)
export class CronController {
  constructor(private readonly cron: CronService) {}

  /** A HEAD is sent by what only looks: it must not do anything. */
  @Head()
  @WithCronSecret()
  head() {
    throw new MethodNotAllowed('GET, POST');
  }

  /** Some schedulers can only GET. */
  @Get()
  @WithCronSecret()
  get(@Query() query: CronQuery) {
    return this.run(query);
  }

  @Post()
  @WithCronSecret()
  @HttpCode(200)
  async run(@Query() { dry_run }: CronQuery) {
    return cronView(await this.cron.run({ isDryRun: dry_run === 'true' }));
  }
}
