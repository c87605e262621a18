import { Controller, Get } from '@nestjs/common';
import { ServiceUnavailable } from '../errors/errors.js';
import { Public } from '../sessions/session.guard.js';
import { Health } from './health.js';

@Controller('health')
@Public()
export class HealthController {
  constructor(private readonly health: Health) {}

  /** Whether the process answers; a failure means: restart it. */
  @Get('live')
  live() {
    return { status: 'live' };
  }

  /** Whether requests can be served; a failure means: send them elsewhere. */
  @Get('ready')
  async ready() {
    const { down, degraded } = await this.health.condition();
    if (down.length > 0) throw new ServiceUnavailable({ down });
    return { status: 'ready', degraded };
  }
}
