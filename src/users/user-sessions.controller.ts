import { Controller, Delete, Get, Query } from '@nestjs/common';
import { type Actor, By, type CallerSession, CurrentSession } from '../http/caller.js';
import { Compressed } from '../http/compression.js';
import { NotFound } from '../http/errors.js';
import { IdParam } from '../http/id-param.js';
import { PageQuery, pageFields } from '../http/page.js';
import { Role } from '../http/role.js';
import { Answers, Limited, MinRole, Operation, Personal, Problems } from '../http/route.js';
import { SessionSchema, sessionView } from '../sessions/session.view.js';
import { count } from '../validation/schema.js';
import { UserSessionsService } from './user-sessions.service.js';

@Personal()
@Controller('users/:id/sessions')
@MinRole(Role.SYSTEM_ADMIN)
export class UserSessionsController {
  constructor(private readonly sessions: UserSessionsService) {}

  @Get()
  @Compressed()
  @Operation('listUserSessions', 'The active sessions of a user, newest first.')
  @Answers(200, pageFields(SessionSchema))
  @Problems([NotFound])
  async list(
    @IdParam('id') userId: string,
    @CurrentSession() current: CallerSession,
    @Query() query: PageQuery,
  ) {
    const { data, nextCursor } = await this.sessions.list(userId, query);
    return { data: data.map((session) => sessionView(session, current.id)), next_cursor: nextCursor };
  }

  @Delete()
  @Limited('changePerUser')
  @Operation('endUserSessions', 'Ends all sessions of a user; of the caller all but this one.')
  @Answers(200, { revoked: count })
  @Problems([NotFound])
  async endAll(@IdParam('id') userId: string, @By() by: Actor) {
    return { revoked: await this.sessions.endAll(userId, by) };
  }

  @Delete(':session_id')
  @Limited('changePerUser')
  @Operation('endUserSession', 'Ends a session of a user.')
  @Answers(204)
  @Problems([NotFound])
  async endOne(@IdParam('id') userId: string, @IdParam('session_id') id: string, @By() by: Actor) {
    await this.sessions.endOne(userId, id, by);
  }
}
