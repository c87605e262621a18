import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation, Unique } from 'typeorm';
import { Key } from './key.entity.js';

/** A secret of a key. There may be two at a time, while one takes the place of the other. */
@Entity('key_secrets')
@Unique(['secretHash'])
@Index(['keyId'])
export class KeySecret {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  keyId: string;

  @ManyToOne(() => Key, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'key_id' })
  key?: Relation<Key>;

  @Column('bytea')
  secretHash: Buffer;

  /** The last four characters. */
  @Column('text')
  hint: string;

  /** Null for the command line. */
  @Column('uuid', { nullable: true })
  madeBy: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  expiresAt: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  endedAt: Date | null;

  /** At most a minute behind. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt: Date | null;

  @Column('inet', { nullable: true })
  lastUsedIp: string | null;
}
