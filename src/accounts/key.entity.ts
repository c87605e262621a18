import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Org } from './org.entity.js';

/** What a program presents itself with. It belongs to its organization, or to the operator, and outlives who made it. */
@Entity('keys')
@Index(['orgId', 'id'])
@Index(['endedAt'])
export class Key {
  @PrimaryColumn('uuid')
  id: string;

  /** Null for a key of the operator. */
  @Column('uuid', { nullable: true })
  orgId: string | null;

  @ManyToOne(() => Org, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'org_id' })
  org?: Relation<Org>;

  @Column('text')
  name: string;

  /** As they were given. What is no longer declared counts for nothing. */
  @Column('text', { array: true })
  permissions: string[];

  /** The networks, as CIDR blocks, from one of which a request must come; null for any. */
  @Column('cidr', { array: true, nullable: true })
  networks: string[] | null;

  /** Requests a minute; null for no limit. */
  @Column('integer', { nullable: true })
  perMinute: number | null;

  /** Null for the command line. */
  @Column('uuid', { nullable: true })
  madeBy: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  endedAt: Date | null;
}
