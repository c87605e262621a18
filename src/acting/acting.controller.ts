import { Body, Controller, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  type Actor,
  By,
  type Caller,
  type CallerSession,
  CurrentCaller,
  CurrentSession,
} from '../http/caller.js';
import { AccountDisabled, InsufficientRole, NotActing, NotFound, OrgRefusesActing } from '../http/errors.js';
import { IdParam } from '../http/id-param.js';
import { Role } from '../http/role.js';
import {
  Answers,
  Limited,
  MinRole,
  OpenWhen,
  Operation,
  Personal,
  Problems,
  RequiresStepUp,
  WhileActing,
} from '../http/route.js';
import { SessionSchema, sessionView } from '../sessions/session.view.js';
import { SessionCookie } from '../sessions/session-cookies.js';
import type { ActiveSession } from '../sessions/sessions.service.js';
import { OrganizationsSchema, organizationsView, UserSchema, userView } from '../users/user.view.js';
import { Act } from './acting.dto.js';
import { ActingService, type ResumedSession } from './acting.service.js';

const WithActing = () => OpenWhen(({ acting }) => acting === 'on');

/** As after a login: who the browser is from now on. */
const LOGGED_IN = { user: UserSchema, session: SessionSchema, organizations: OrganizationsSchema };

/** Lets a SYSTEM_ADMIN act for a user, and stop. */
@Personal()
@Controller()
export class ActingController {
  constructor(
    private readonly acting: ActingService,
    private readonly cookie: SessionCookie,
  ) {}

  @Post('users/:id/act')
  @WithActing()
  @MinRole(Role.SYSTEM_ADMIN)
  @RequiresStepUp()
  @Limited('changePerUser')
  @Operation(
    'actForUser',
    'Acts for a user, in one of their organizations or in none, for half an hour at most; tells the owner by mail.',
  )
  @Answers(201, LOGGED_IN)
  @Problems([NotFound, InsufficientRole, AccountDisabled, OrgRefusesActing])
  async act(
    @CurrentCaller() caller: Caller,
    @IdParam('id') id: string,
    @Body() body: Act,
    @By() by: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.answer(await this.acting.start(caller, id, body, by), reply);
  }

  @Post('auth/stop-acting')
  @WithActing()
  @WhileActing('all')
  @Operation('stopActing', 'Stops acting for a user, and goes back to the session of the admin.')
  @Answers(200, LOGGED_IN)
  @Problems([NotActing])
  async stop(
    @CurrentSession() session: CallerSession,
    @By() by: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.answer(await this.acting.stop(session, by), reply);
  }

  private answer({ token, ...active }: ResumedSession, reply: FastifyReply) {
    this.cookie.set(reply, token);
    return loggedInView(active);
  }
}

function loggedInView(active: ActiveSession) {
  const { user, session, memberships } = active;
  return {
    user: userView(user),
    session: sessionView(session, session.id),
    organizations: organizationsView(memberships, active),
  };
}
