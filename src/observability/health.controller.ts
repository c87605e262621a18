import { Controller, Get } from '@nestjs/common';
import { ServiceUnavailable } from '../http/errors.js';
import { Answers, Operation, Problems, Public } from '../http/route.js';
import { text } from '../validation/schema.js';
import { Health } from './health.js';

@Controller('health')
@Public()
export class HealthController {
  constructor(private readonly health: Health) {}

  @Get('live')
  @Operation('checkLive', 'Whether the process answers; a failure means: restart it.')
  @Answers(200, { status: text })
  live() {
    return { status: 'live' };
  }

  @Get('ready')
  @Operation(
    'checkReady',
    'Whether requests can be served; a failure means: send them elsewhere, and `down` names what is not there.',
  )
  @Answers(200, { status: text })
  @Problems([ServiceUnavailable])
  async ready() {
    const down = await this.health.down();
    // Each probe of a planned stop would leave an error in the log.
    if (down.length > 0) throw new ServiceUnavailable({ down }, this.health.isStopping);
    return { status: 'ready' };
  }
}
