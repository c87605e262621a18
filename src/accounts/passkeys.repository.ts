import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import { relyingPartyId } from '../config/relying-party.js';
import { Passkey } from './passkey.entity.js';

/** What is known of a passkey when it is registered. */
export type NewPasskey = Omit<Passkey, 'rpId' | 'createdAt' | 'lastUsedAt' | 'user'>;

/** How a passkey signed. */
export interface Use {
  signCount: number;
  isBackedUp: boolean;
}

/**
 * The passkeys of the domain that this service has now. One of another domain counts as absent: no browser offers it,
 * and an account must not rest on it.
 */
@Injectable()
export class PasskeysRepository {
  /** No passkey is of the empty domain, which stands for none. */
  readonly rpId: string;

  constructor(
    private readonly database: DataSource,
    environment: Environment,
  ) {
    this.rpId = relyingPartyId(environment) ?? '';
  }

  /** A user's passkeys, newest first. */
  findOf(userId: string): Promise<Passkey[]> {
    return this.database.manager.find(Passkey, {
      where: { userId, rpId: this.rpId },
      order: { id: 'DESC' },
    });
  }

  findByCredential(credentialId: Buffer): Promise<Passkey | null> {
    return this.database.manager.findOneBy(Passkey, { credentialId, rpId: this.rpId });
  }

  countOf(userId: string, tx: Transaction | DataSource = this.database): Promise<number> {
    return tx.manager.countBy(Passkey, { userId, rpId: this.rpId });
  }

  /** Returns null when the credential is registered already, for this user or another. */
  async insert(passkey: NewPasskey, tx: Transaction): Promise<Passkey | null> {
    const inserted = await tx.manager
      .createQueryBuilder()
      .insert()
      .into(Passkey)
      .values({ ...passkey, rpId: this.rpId })
      .orIgnore()
      .returning('id')
      .execute();
    return inserted.raw.length === 1 ? tx.manager.findOneByOrFail(Passkey, { id: passkey.id }) : null;
  }

  /** Returns null when the user has no such passkey. */
  async rename(userId: string, id: string, name: string, tx: Transaction): Promise<Passkey | null> {
    const own = { id, userId, rpId: this.rpId };
    await tx.manager.update(Passkey, own, { name });
    return tx.manager.findOneBy(Passkey, own);
  }

  /**
   * Notes a use. Returns false when the passkey is gone, or its count is not above that of the last use: another copy
   * of the key has signed meanwhile. A count of 0 says that the authenticator does not count.
   */
  async noteUse(id: string, { signCount, isBackedUp }: Use, tx: Transaction): Promise<boolean> {
    const [, noted] = await tx.query<[unknown, number]>(
      `UPDATE passkeys SET sign_count = $2, backed_up = $3, last_used_at = now()
        WHERE id = $1 AND (sign_count < $2 OR sign_count = 0 AND $2 = 0)`,
      [id, signCount, isBackedUp],
    );
    return noted === 1;
  }

  exists(id: string, tx: Transaction): Promise<boolean> {
    return tx.manager.existsBy(Passkey, { id });
  }

  /** Returns the passkey that is gone, or null when the user had none of that id. */
  async delete(userId: string, id: string, tx: Transaction): Promise<Passkey | null> {
    const own = { id, userId, rpId: this.rpId };
    const passkey = await tx.manager.findOneBy(Passkey, own);
    if (passkey) await tx.manager.delete(Passkey, own);
    return passkey;
  }
}
