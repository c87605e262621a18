import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity({ schema: 'notes', name: 'notes' })
export class Note {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  orgId: string;

  @Column('uuid', { nullable: true })
  authorId: string | null;

  @Column('text')
  text: string;
}
