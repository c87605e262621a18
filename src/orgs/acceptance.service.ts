import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import { type Transaction, Transactions } from '../audit/transactions.js';
import { AlignmentService } from '../billing/alignment.service.js';
import type { Actor } from '../http/caller.js';
import {
  AlreadyInOrganization,
  InvalidToken,
  InvitationEmailMismatch,
  Unauthenticated,
  ValidationFailed,
} from '../http/errors.js';
import { Role } from '../http/role.js';
import { hashToken } from '../secrets/token.js';
import { SignupsRepository } from '../signups/signups.repository.js';
import { PasswordHasher } from '../users/password-hasher.js';
import { PasswordPolicy } from '../users/password-policy.js';
import { User } from '../users/user.entity.js';
import { UsersRepository } from '../users/users.repository.js';
import { InvitationsService } from './invitations.service.js';
import type { AcceptInvitation } from './orgs.dto.js';
import { OrgsService } from './orgs.service.js';

/** The new member, and whether the account was made for it. */
export interface Acceptance {
  user: User;
  wasCreated: boolean;
}

/** Takes invitations up: with a new account for the invited address, or with the account it has. */
@Injectable()
export class AcceptanceService {
  constructor(
    private readonly invitations: InvitationsService,
    private readonly orgs: OrgsService,
    private readonly users: UsersRepository,
    private readonly signups: SignupsRepository,
    private readonly passwords: PasswordHasher,
    private readonly policy: PasswordPolicy,
    private readonly alignment: AlignmentService,
    private readonly transactions: Transactions,
  ) {}

  /** Accepts an invitation for its address. `caller` is who is logged in, if anybody is. */
  async accept(body: AcceptInvitation, caller: User | null, by: Actor): Promise<Acceptance> {
    const { email, orgId, accountExists } = await this.invitations.preview(body.token);
    const acceptance = await (accountExists
      ? this.join(body.token, email, caller, by)
      : this.signUp(body, email, by));
    this.alignment.follow({ orgId });
    return acceptance;
  }

  /** Whoever holds the link has proven the address; whoever is logged in with it has proven to be its user. */
  private async join(token: string, email: string, caller: User | null, by: Actor): Promise<Acceptance> {
    if (!caller) throw new Unauthenticated();
    if (caller.email !== email) throw new InvitationEmailMismatch();

    return this.transactions.run(by, async (tx) => {
      await this.invitations.holdOrganization(hashToken(token), tx);
      const user = await this.users.lockByEmail(email, tx);
      if (user?.id !== caller.id || user.disabledAt !== null) throw new Unauthenticated();
      if (user.orgId !== null) throw new AlreadyInOrganization();
      return { user: await this.take(token, user, tx.as({ userId: user.id })), wasCreated: false };
    });
  }

  private async signUp(
    { token, password, name = null }: AcceptInvitation,
    email: string,
    by: Actor,
  ): Promise<Acceptance> {
    if (!password)
      throw new ValidationFailed([{ field: 'password', messages: ['is needed to make your account'] }]);
    this.policy.refuseWeak('password', password, { email, name });
    const passwordHash = await this.passwords.hash(password, by);

    return this.transactions.run(by, async (tx) => {
      await this.invitations.holdOrganization(hashToken(token), tx);
      const id = uuidv7();
      const isNew = await this.users.insert({ id, email, name, role: Role.MEMBER, passwordHash }, tx);
      if (!isNew) throw new InvalidToken();
      await this.users.markVerified(id, tx);
      await tx.record('account.created', { userId: id });
      await this.signups.endAllOf(email, tx);
      const user = await tx.manager.findOneByOrFail(User, { id });
      return { user: await this.take(token, user, tx), wasCreated: true };
    });
  }

  private async take(token: string, user: User, tx: Transaction): Promise<User> {
    const accepted = await this.invitations.accept(hashToken(token), user.email, tx);
    if (!accepted) throw new InvalidToken();
    await this.orgs.join(user, accepted, tx);
    return tx.manager.findOneByOrFail(User, { id: user.id });
  }
}
