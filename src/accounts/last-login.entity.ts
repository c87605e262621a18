import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/**
 * When a user last logged in. A table of its own: each login writes it, and a row of `users`, of which there are many
 * indexes, would have to be entered anew in all of them.
 */
@Entity('last_logins')
@Index(['loggedInAt', 'userId'])
export class LastLogin {
  @PrimaryColumn('uuid')
  userId: string;

  @ManyToOne('User', { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id' })
  user?: object;

  @Column({ type: 'timestamptz', precision: 3 })
  loggedInAt: Date;
}
