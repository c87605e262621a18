import { Controller, Delete, Get, HttpCode, Query } from '@nestjs/common';
import { PageQuery } from '../paging/page.js';
import { User } from '../users/user.entity.js';
import { IdParam } from '../validation/uuid.js';
import { CurrentSession, CurrentUser } from './caller.js';
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
  async endOne(@CurrentUser() user: User, @IdParam('id') id: string) {
    await this.sessions.endOne(user, id);
  }

  @Delete()
  async endOthers(@CurrentSession() current: Session) {
    return { revoked: await this.sessions.endOthers(current) };
  }
}
