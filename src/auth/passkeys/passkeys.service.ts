import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import type { Passkey } from '../../accounts/passkey.entity.js';
import { PasskeysRepository } from '../../accounts/passkeys.repository.js';
import { UsersRepository } from '../../accounts/users.repository.js';
import { Transactions } from '../../audit/transactions.js';
import type { Actor, Caller, CallerUser } from '../../http/caller.js';
import { NotFound, PasskeyAlreadyRegistered, TooManyPasskeys, Unauthenticated } from '../../http/errors.js';
import { AccountMails } from '../../mail/account-mails.js';
import { AuthorityService } from '../../sessions/authority.service.js';
import { deviceName } from '../../words/device-name.js';
import { LoginMethods } from '../login/login-methods.js';
import { FactorsService } from '../second-factor/factors.service.js';
import { CeremoniesService } from './ceremonies.service.js';
import type { RegisterPasskey } from './passkeys.dto.js';

const MAX_PASSKEYS = 20;

/** The passkeys of a user who is logged in. Each change is mailed to the owner, except that of a name. */
@Injectable()
export class PasskeysService {
  constructor(
    private readonly passkeys: PasskeysRepository,
    private readonly ceremonies: CeremoniesService,
    private readonly users: UsersRepository,
    private readonly methods: LoginMethods,
    private readonly factors: FactorsService,
    private readonly mails: AccountMails,
    private readonly authority: AuthorityService,
    private readonly transactions: Transactions,
  ) {}

  list({ id }: CallerUser): Promise<Passkey[]> {
    return this.passkeys.findOf(id);
  }

  /** What the browser makes a passkey with. Throws TooManyPasskeys. */
  async begin({ user, session }: Caller) {
    const passkeys = await this.passkeys.findOf(user.id);
    if (passkeys.length >= MAX_PASSKEYS) throw new TooManyPasskeys();
    return this.ceremonies.creationOptions(user, passkeys, session.id);
  }

  /** Registers the passkey that a browser made. Throws InvalidPasskey, PasskeyAlreadyRegistered, TooManyPasskeys. */
  async register(
    { user: { id: userId }, session }: Caller,
    { credential, name }: RegisterPasskey,
    by: Actor,
  ): Promise<Passkey> {
    const registration = await this.ceremonies.checkRegistration(credential, session.id);

    return this.transactions.run(by, async (tx) => {
      const user = await this.users.lock(userId, tx);
      await this.authority.assertLoggedIn(tx);
      if (!user) throw new Unauthenticated();
      await this.ceremonies.useUp(registration.challengeId, tx);
      if ((await this.passkeys.countOf(userId, tx)) >= MAX_PASSKEYS) throw new TooManyPasskeys();

      const named = { id: uuidv7(), userId, name: name ?? deviceName(by.userAgent) };
      const passkey = await this.passkeys.insert({ ...registration.passkey, ...named }, tx);
      if (!passkey) throw new PasskeyAlreadyRegistered();
      await this.mails.passkeyAdded(user, passkey.name, tx);
      await tx.record('passkey.added', { userId, orgId: user.orgId, details: { passkey_id: passkey.id } });
      return passkey;
    });
  }

  async rename({ id: userId, orgId }: CallerUser, id: string, name: string, by: Actor): Promise<Passkey> {
    return this.transactions.run(by, async (tx) => {
      const passkey = await this.passkeys.rename(userId, id, name, tx);
      await this.authority.assertLoggedIn(tx);
      if (!passkey) throw new NotFound();
      await tx.record('passkey.renamed', { userId, orgId, details: { passkey_id: id } });
      return passkey;
    });
  }

  /**
   * Removes a passkey, and ends the other sessions that one began or raised. Throws LastLoginMethod and LastSecondFactor; the lock
   * on the user keeps two from going at once.
   */
  async remove({ id: userId, orgId }: CallerUser, id: string, by: Actor): Promise<void> {
    await this.transactions.run(by, async (tx) => {
      const user = await this.users.lock(userId, tx);
      await this.authority.assertLoggedIn(tx);
      const passkey = user && (await this.passkeys.delete(userId, id, tx));
      if (!passkey) throw new NotFound();

      await this.methods.assertAnyLeft(user, tx);
      await this.factors.afterRemoval('passkey', userId, tx);
      await this.mails.passkeyRemoved(user, passkey.name, tx);
      const details = { passkey_id: id, kept_session_id: by.sessionId };
      await tx.record('passkey.removed', { userId, orgId, details });
    });
  }
}
