import { Controller, Delete, Get, Query } from '@nestjs/common';
import type { Actor } from '../audit/audit.js';
import { Answers, Problems, Summary } from '../docs/answers.js';
import { count } from '../docs/schema.js';
import { NotFound } from '../errors/errors.js';
import { PageQuery, pageFields } from '../paging/page.js';
import { User } from '../users/user.entity.js';
import { IdParam } from '../validation/id-param.js';
import { By, CurrentSession, CurrentUser } from './caller.js';
import { Session } from './session.entity.js';
import { SessionSchema, sessionView } from './session.view.js';
import { SessionsService } from './sessions.service.js';

@Controller('sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Get()
  @Summary('The active sessions of the caller, newest first.')
  @Answers(200, pageFields(SessionSchema))
  async list(@CurrentUser() user: User, @CurrentSession() current: Session, @Query() query: PageQuery) {
    const { data, nextCursor } = await this.sessions.list(user, query);
    return { data: data.map((session) => sessionView(session, current.id)), next_cursor: nextCursor };
  }

  @Delete(':id')
  @Summary('Ends a session of the caller.')
  @Answers(204)
  @Problems([NotFound])
  async endOne(@CurrentUser() user: User, @IdParam('id') id: string, @By() by: Actor) {
    await this.sessions.endOne(user, id, by);
  }

  @Delete()
  @Summary('Ends all sessions of the caller but this one.')
  @Answers(200, { revoked: count })
  async endOthers(@CurrentUser() user: User, @CurrentSession() current: Session, @By() by: Actor) {
    return { revoked: await this.sessions.endOthers(user, current, by) };
  }
}
