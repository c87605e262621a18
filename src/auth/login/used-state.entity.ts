import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A state that has come back from the identity provider, kept until it expires so that it cannot come back twice. */
@Entity('used_states')
export class UsedState {
  @PrimaryColumn('uuid')
  id: string;

  @Index()
  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt: Date;
}
