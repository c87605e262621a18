import { Body, Controller, Get, Patch } from '@nestjs/common';
import { type Actor, By, CurrentSession, CurrentUser } from '../http/caller.js';
import { Answers, Limited, Summary } from '../http/route.js';
import { Session } from '../sessions/session.entity.js';
import { SessionSchema, sessionView } from '../sessions/session.view.js';
import { User } from './user.entity.js';
import { UserSchema, userView } from './user.view.js';
import { UpdateMe } from './users.dto.js';
import { UsersService } from './users.service.js';

@Controller('users')
export class UsersController {
  constructor(private readonly users: UsersService) {}

  @Get('me')
  @Summary('Who is logged in, and with which session.')
  @Answers(200, { user: UserSchema, session: SessionSchema })
  me(@CurrentUser() user: User, @CurrentSession() session: Session) {
    return { user: userView(user), session: sessionView(session, session.id) };
  }

  @Patch('me')
  @Limited('changePerUser')
  @Summary('Changes the name.')
  @Answers(200, { user: UserSchema })
  async updateMe(@CurrentUser() user: User, @Body() body: UpdateMe, @By() by: Actor) {
    return { user: userView(await this.users.update(user, body, by)) };
  }
}
