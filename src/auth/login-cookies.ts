import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SessionCookie } from '../sessions/session-cookie.js';
import type { Admission, Visitor } from './admission.service.js';
import { DeviceCookie } from './device-cookie.js';

/** The two cookies a login leaves behind: the session, and the device that outlasts it. */
@Injectable()
export class LoginCookies {
  constructor(
    private readonly session: SessionCookie,
    private readonly device: DeviceCookie,
  ) {}

  read(request: FastifyRequest): Pick<Visitor, 'sessionToken' | 'deviceToken'> {
    return { sessionToken: this.session.read(request), deviceToken: this.device.read(request) };
  }

  set(reply: FastifyReply, { token, deviceToken }: Pick<Admission, 'token' | 'deviceToken'>): void {
    this.session.set(reply, token);
    this.device.set(reply, deviceToken);
  }
}
