import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map } from 'rxjs';
import { Answers, type HandlerDecorator } from '../../http/route.js';
import { PendingLoginSchema, pendingLoginView } from '../../sessions/pending-login.view.js';
import { SessionSchema, sessionView } from '../../sessions/session.view.js';
import { OrganizationsSchema, organizationsView, UserSchema, userView } from '../../users/user.view.js';
import type { DescribedFields, Fields } from '../../validation/schema.js';
import type { Admission, LoginResult } from './admission.service.js';
import { LoginCookies } from './login-cookies.js';

/** What the handler of a login returns: what the login has come to, and what else its answer says. */
type Outcome<To extends Admission, Others extends Fields> = { admission: To } & DescribedFields<Others>;

const OF_SESSION = { user: UserSchema, session: SessionSchema, organizations: OrganizationsSchema };
const OF_PENDING_LOGIN = { pending_login: PendingLoginSchema };

/** Sets the cookies of what a login has come to, and answers 200 with a session, or 202 with a pending login. */
@Injectable()
class LoginInterceptor implements NestInterceptor<{ admission: Admission }> {
  constructor(private readonly cookies: LoginCookies) {}

  intercept(context: ExecutionContext, next: CallHandler<{ admission: Admission }>) {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map(({ admission, ...others }) => {
        this.cookies.setAdmitted(reply, admission);
        reply.status(admission.kind === 'session' ? 200 : 202);
        return { ...others, ...viewOf(admission) };
      }),
    );
  }
}

/** The first step of a login: it comes to a session, or to a pending login. */
export function LogsIn<Others extends Fields>(others: Others): HandlerDecorator<Outcome<Admission, Others>> {
  return answered({ 200: { ...others, ...OF_SESSION }, 202: { ...others, ...OF_PENDING_LOGIN } });
}

/** The last step of a login: it comes to a session. */
export function CompletesLogin<Others extends Fields>(
  others: Others,
): HandlerDecorator<Outcome<LoginResult, Others>> {
  return answered({ 200: { ...others, ...OF_SESSION } });
}

function answered(answers: Record<number, Fields>): HandlerDecorator<unknown> {
  return (target, name, descriptor) => {
    UseInterceptors(LoginInterceptor)(target, name, descriptor);
    (Answers(answers) as HandlerDecorator<unknown>)(target, name, descriptor);
  };
}

function viewOf(admission: Admission) {
  if (admission.kind === 'pending') return { pending_login: pendingLoginView(admission) };
  const { user, session, memberships } = admission;
  return {
    user: userView(user),
    session: sessionView(session, session.id),
    organizations: organizationsView(memberships, admission),
  };
}
