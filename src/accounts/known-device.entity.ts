import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { User } from './user.entity.js';

/** Days for which a browser is known after its last login. */
export const DEVICE_MEMORY_DAYS = 365;

/** A browser in which a user has logged in before. One browser may be known to several users. */
@Entity('known_devices')
export class KnownDevice {
  /** SHA-256 of the token in the cookie. */
  @PrimaryColumn('bytea')
  tokenHash: Buffer;

  @Index()
  @PrimaryColumn('uuid')
  userId: string;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id' })
  user?: Relation<User>;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  /** The last login. */
  @Index()
  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  lastSeenAt: Date;
}
