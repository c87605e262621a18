import { Controller, Get } from '@nestjs/common';
import { Answers, Problems, Summary } from '../docs/answers.js';
import { list, text } from '../docs/schema.js';
import { ServiceUnavailable } from '../errors/errors.js';
import { Public } from '../sessions/session.guard.js';
import { Health } from './health.js';

@Controller('health')
@Public()
export class HealthController {
  constructor(private readonly health: Health) {}

  @Get('live')
  @Summary('Whether the process answers; a failure means: restart it.')
  @Answers(200, { status: text })
  live() {
    return { status: 'live' };
  }

  @Get('ready')
  @Summary(
    'Whether requests can be served; a failure means: send them elsewhere, and `down` names what is not there.',
  )
  @Answers(200, { status: text, degraded: list(text) })
  @Problems([ServiceUnavailable])
  async ready() {
    const { down, degraded } = await this.health.condition();
    if (down.length > 0) throw new ServiceUnavailable({ down });
    return { status: 'ready', degraded };
  }
}
