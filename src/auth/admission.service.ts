import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../audit/audit.js';
import type { Actor } from '../http/caller.js';
import { AccountMails } from '../mail/account-mails.js';
import type { AuthMethod } from '../sessions/session.entity.js';
import { SessionMetrics } from '../sessions/session-metrics.js';
import { SessionsService, type StartedSession } from '../sessions/sessions.service.js';
import type { User } from '../users/user.entity.js';
import { DevicesService } from './devices.service.js';

/** Somebody at the login, and what the cookies hold. */
export interface Visitor extends Actor {
  sessionToken: string | null;
  deviceToken: string | null;
}

/** A session that a login has started, and the tokens for both cookies. */
export interface Admission extends StartedSession {
  deviceToken: string;
}

/** Admits whoever has proven to be a user, by whatever method. */
@Injectable()
export class AdmissionService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly devices: DevicesService,
    private readonly mails: AccountMails,
    private readonly database: DataSource,
    private readonly audit: Audit,
    private readonly metrics: SessionMetrics,
  ) {}

  /**
   * Starts a session in place of the one whose token came with the request: a cookie that was planted before the
   * login is worth nothing after it. The owner hears of a device not seen before. Returns null when the user was
   * disabled, or changed the password, since they were read; not in a transaction that has held them since.
   */
  async admit(
    user: User,
    authMethod: AuthMethod,
    visitor: Visitor,
    outer = this.database.manager,
  ): Promise<Admission | null> {
    const admission = await outer.transaction(async (manager) => {
      const started = await this.sessions.start(user, authMethod, visitor, manager);
      if (!started) return null;
      if (visitor.sessionToken !== null) await this.sessions.endByToken(visitor.sessionToken, manager);

      const device = await this.devices.recognise(user.id, visitor.deviceToken, manager);
      if (device.isNew) await this.mails.newSignIn(user, started.session, manager);
      await this.record(user, authMethod, visitor, manager);
      return { ...started, deviceToken: device.token };
    });
    if (admission) this.metrics.started.inc({ method: authMethod });
    return admission;
  }

  private async record(
    { id: userId, orgId }: User,
    authMethod: AuthMethod,
    { ip, userAgent }: Visitor,
    manager: EntityManager,
  ): Promise<void> {
    const by = { userId, ip, userAgent };
    const details = { auth_method: authMethod };
    await this.audit.record({ type: 'login.succeeded', by, userId, orgId, details }, manager);
  }
}
