import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * A signup that waits for its address to be confirmed, and becomes a user then. There is one whatever the address: one
 * for an address that has an account is never mailed a link.
 */
@Entity('signups')
export class Signup {
  @PrimaryColumn('uuid')
  id: string;

  /** The canonical form of the address (see `canonicalAddress`). */
  @Index()
  @Column('text')
  email: string;

  @Column('text', { nullable: true })
  name: string | null;

  /** The organization to found with the user; null for a user without one. */
  @Column('text', { nullable: true })
  orgName: string | null;

  /** The language of the browser that signed up, as a BCP 47 tag; null where none was named. */
  @Column('text', { nullable: true })
  locale: string | null;

  /** The time zone of that browser. */
  @Column('text', { nullable: true })
  timeZone: string | null;

  @Column('text')
  passwordHash: string;

  /** Tells the password without a second bcrypt hash (see `PasswordMac`); null where the password was never seen. */
  @Column('bytea', { nullable: true })
  passwordMac: Buffer | null;

  /** When the password was first tried at the login since it was set. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  passwordTriedAt: Date | null;

  /** SHA-256 of the token in the cookie of the browser that signed up; null where that is not known. */
  @Column('bytea', { nullable: true })
  browserHash: Buffer | null;

  /** SHA-256 of the tokens in the links that were mailed: an earlier link goes on working. */
  @Index('signups_token_hashes_idx', { synchronize: false })
  @Column('bytea', { array: true, default: () => "'{}'" })
  tokenHashes: Buffer[];

  /** Passwords that were tried with a mailed token, to prove that its holder signed up. */
  @Column('integer', { default: 0 })
  passwordTries: number;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  mailAskedAt: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Index()
  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt: Date;
}
