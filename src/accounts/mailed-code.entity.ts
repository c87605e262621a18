import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What a mailed code allows in the browser that asked for it: what the link in the same mail allows. */
export type CodePurpose = 'verify-email' | 'reset-password' | 'change-email' | 'login' | 'step-up';

/**
 * A code that was mailed beside a link, or would have been if the address had an account. The row is the same for any
 * address. It holds neither the code nor an address: the secret of the browser's cookie, the salt and the code together
 * make the token of the link, and whatever becomes of that token becomes of the code.
 */
@Entity('mailed_codes')
@Check(
  'mailed_codes_purpose_check',
  `purpose IN ('verify-email', 'reset-password', 'change-email', 'login', 'step-up')`,
)
export class MailedCode {
  /** SHA-256 of the secret in the cookie of the browser that asked. */
  @PrimaryColumn('bytea')
  browserHash: Buffer;

  @PrimaryColumn('text')
  purpose: CodePurpose;

  /** Encrypted. It keeps the holder of the cookie from trying codes without the service, which counts them. */
  @Column('bytea')
  salt: Buffer;

  /** SHA-256 of the token that the right code makes. */
  @Column('bytea')
  tokenHash: Buffer;

  /** Wrong codes that were tried. */
  @Column('smallint', { default: 0 })
  tries: number;

  @Index()
  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt: Date;
}
