import { Injectable } from '@nestjs/common';
import { DataSource, MoreThan } from 'typeorm';
import { TotpFactor } from './totp-factor.entity.js';

/** Secrets of one statement: some milliseconds of work each time, so that logins go on beside it. */
const BATCH = 1_000;

/** A secret as it is stored. */
type SealedSecret = Pick<TotpFactor, 'userId' | 'secret'>;

/** The secrets of all authenticator apps, for commands that see whether a key still opens them. */
@Injectable()
export class SealedSecretsRepository {
  constructor(private readonly database: DataSource) {}

  /** All of them, in batches. */
  async *batches(): AsyncGenerator<SealedSecret[]> {
    let after: string | undefined;
    do {
      const batch = await this.database.manager.find(TotpFactor, {
        select: { userId: true, secret: true },
        where: after === undefined ? {} : { userId: MoreThan(after) },
        order: { userId: 'ASC' },
        take: BATCH,
      });
      yield batch;
      after = batch.length === BATCH ? batch.at(-1)?.userId : undefined;
    } while (after !== undefined);
  }

  /** Replaces secrets as they were read, and returns how many had not changed since. */
  async replace(secrets: (SealedSecret & { renewed: Buffer })[]): Promise<number> {
    const [, replaced] = await this.database.query<[unknown, number]>(
      `UPDATE totp_factors t SET secret = n.renewed
         FROM unnest($1::uuid[], $2::bytea[], $3::bytea[]) AS n (user_id, secret, renewed)
        WHERE t.user_id = n.user_id AND t.secret = n.secret`,
      [
        secrets.map(({ userId }) => userId),
        secrets.map(({ secret }) => secret),
        secrets.map(({ renewed }) => renewed),
      ],
    );
    return replaced;
  }
}
