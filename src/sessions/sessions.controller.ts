import { Controller, Delete, Get, Query } from '@nestjs/common';
import {
  type Actor,
  By,
  type CallerSession,
  type CallerUser,
  CurrentSession,
  CurrentUser,
} from '../http/caller.js';
import { Compressed } from '../http/compression.js';
import { NotFound } from '../http/errors.js';
import { IdParam } from '../http/id-param.js';
import { PageQuery, pageFields } from '../http/page.js';
import { Answers, Operation, Personal, Problems } from '../http/route.js';
import { count } from '../validation/schema.js';
import { SessionSchema, sessionView } from './session.view.js';
import { SessionsService } from './sessions.service.js';

@Personal()
@Controller('sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Get()
  @Compressed()
  @Operation('listSessions', 'The active sessions of the caller, newest first.')
  @Answers(200, pageFields(SessionSchema))
  async list(
    @CurrentUser() user: CallerUser,
    @CurrentSession() current: CallerSession,
    @Query() query: PageQuery,
  ) {
    const { data, nextCursor } = await this.sessions.list(user, query);
    return { data: data.map((session) => sessionView(session, current.id)), next_cursor: nextCursor };
  }

  @Delete(':id')
  @Operation('endSession', 'Ends a session of the caller.')
  @Answers(204)
  @Problems([NotFound])
  async endOne(@CurrentUser() user: CallerUser, @IdParam('id') id: string, @By() by: Actor) {
    await this.sessions.endOne(user, id, by);
  }

  @Delete()
  @Operation('endOtherSessions', 'Ends all sessions of the caller but this one.')
  @Answers(200, { revoked: count })
  async endOthers(
    @CurrentUser() user: CallerUser,
    @CurrentSession() current: CallerSession,
    @By() by: Actor,
  ) {
    return { revoked: await this.sessions.endOthers(user, current, by) };
  }
}
