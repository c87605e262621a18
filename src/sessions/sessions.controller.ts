import { Controller, Delete, Get, HttpCode, Query } from '@nestjs/common';
import type { Actor } from '../audit/audit.js';
import { PageQuery } from '../paging/page.js';
import { User } from '../users/user.entity.js';
import { IdParam } from '../validation/uuid.js';
import { By, CurrentSession, CurrentUser } from './caller.js';
import { Session } from './session.entity.js';
import { sessionView } from './session.view.js';
import { SessionsService } from './sessions.service.js';

@Controller('sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Get()
  async list(@CurrentUser() user: User, @CurrentSession() current: Session, @Query() query: PageQuery) {
    const { data, nextCursor } = await this.sessions.list(user, query);
    return { data: data.map((session) => sessionView(session, current.id)), next_cursor: nextCursor };
  }

  @Delete(':id')
  @HttpCode(204)
  async endOne(@CurrentUser() user: User, @IdParam('id') id: string, @By() by: Actor) {
    await this.sessions.endOne(user, id, by);
  }

  @Delete()
  async endOthers(@CurrentUser() user: User, @CurrentSession() current: Session, @By() by: Actor) {
    return { revoked: await this.sessions.endAllOthers(user, current, by) };
  }
}
