import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A customer of a business product; its users see one another and nothing of anyone else. */
@Entity('organizations')
export class Org {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  name: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  /** Since when its members must have a second factor; null when they need not. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  secondFactorRequiredAt: Date | null;
}
