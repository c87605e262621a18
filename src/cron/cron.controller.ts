import { Controller, Get, Head, Post, Query } from '@nestjs/common';
import { IsIn } from 'class-validator';
import { type Actor, By } from '../http/caller.js';
import { InternalError, MethodNotAllowed, ServiceUnavailable } from '../http/errors.js';
import { Answers, BearerSecret, OpenWhen, Operation, Problems, Public } from '../http/route.js';
import { CronService } from './cron.service.js';
import { cronFields, cronView } from './cron.view.js';

class CronQuery {
  @IsIn(['true', 'false'])
  readonly dry_run: string = 'false';
}

@Controller('cron')
@Public()
export class CronController {
  constructor(private readonly cron: CronService) {}

  /** A HEAD only looks, so it must not do anything. */
  @Head()
  @OpenWhen(({ cronSecret }) => cronSecret !== undefined)
  head() {
    throw new MethodNotAllowed('GET, POST');
  }

  /** Some schedulers can only GET. */
  @Get()
  @BearerSecret('cronSecret')
  @Operation('triggerCronByGet', 'Does the same as POST, for schedulers that can only GET.')
  @Answers(200, cronFields)
  @Problems([InternalError, ServiceUnavailable])
  get(@Query() query: CronQuery, @By() by: Actor) {
    return this.run(query, by);
  }

  @Post()
  @BearerSecret('cronSecret')
  @Operation('triggerCron', 'Deletes what has expired, and corrects what differs from Stripe.')
  @Answers(200, cronFields)
  async run(@Query() { dry_run }: CronQuery, @By() by: Actor) {
    return cronView(await this.cron.run({ isDryRun: dry_run === 'true', by }));
  }
}
