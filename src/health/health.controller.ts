import { Controller, Get } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ServiceUnavailable } from '../errors/errors.js';
import { Public } from '../sessions/session.guard.js';

@Controller('health')
@Public()
export class HealthController {
  constructor(private readonly database: DataSource) {}

  /** Whether the process answers; a failure means: restart it. */
  @Get('live')
  live() {
    return { status: 'live' };
  }

  /** Whether requests can be served; a failure means: send them elsewhere. */
  @Get('ready')
  async ready() {
    const isUp = await this.database.query('SELECT 1').then(
      () => true,
      () => false,
    );
    if (!isUp) throw new ServiceUnavailable({ down: ['database'] });
    return { status: 'ready' };
  }
}
