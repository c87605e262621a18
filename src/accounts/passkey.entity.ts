import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** A key pair that a user's device holds for this service (WebAuthn Level 3); only its public key is here. */
@Entity('passkeys')
@Check('passkeys_credential_id_check', 'octet_length(credential_id) BETWEEN 16 AND 1023')
export class Passkey {
  @PrimaryColumn('uuid')
  id: string;

  @Index()
  @Column('uuid')
  userId: string;

  @ManyToOne('User', { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id' })
  user?: object;

  /** The domain it was made for. A browser offers it nowhere else. */
  @Column('text')
  rpId: string;

  @Column('bytea', { unique: true })
  credentialId: Buffer;

  /** In the form of COSE (RFC 9052 §7). */
  @Column('bytea')
  publicKey: Buffer;

  /** How often the authenticator says that it has signed; 0 from those that do not count. */
  @Column('bigint')
  signCount: string;

  /** The ways to reach the authenticator, as the browser named them. */
  @Column('text', { array: true, default: () => `'{}'` })
  transports: string[];

  /** Whether it may be on several devices. That never changes. */
  @Column('boolean')
  backupEligible: boolean;

  /** Whether it was on more than one device when it was last used. */
  @Column('boolean')
  backedUp: boolean;

  @Column('text')
  name: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt: Date | null;
}
