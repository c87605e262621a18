import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Where a chain of audit events ends, and up to where it was pruned; without it, events taken off either end would go
 * unnoticed.
 */
@Entity('audit_chains')
export class AuditChain {
  @PrimaryColumn('uuid')
  id: string;

  @Column('bigint')
  position: string;

  @Column('bytea')
  hash: Buffer;

  @Column('bigint', { default: 0 })
  prunedPosition: string;

  @Column('bytea')
  prunedHash: Buffer;
}
