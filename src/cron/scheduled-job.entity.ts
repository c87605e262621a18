import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The jobs that a scheduler starts again and again. */
export type JobName = 'prune';

/** A job that some scheduler starts, on whichever replica, and when it last succeeded. */
@Entity('scheduled_jobs')
export class ScheduledJob {
  @PrimaryColumn('text')
  name: JobName;

  /** The instant from which on the job is expected. */
  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  succeededAt: Date | null;
}
