import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import {
  Answers,
  type CallerUser,
  CurrentUser,
  IdParam,
  IsText,
  MinRole,
  named,
  nullable,
  Operation,
  PageQuery,
  pageFields,
  pageOf,
  Role,
  text,
  uuid,
} from 'latchkey';
import { DataSource, LessThan } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import { Note } from './note.entity.js';

const NoteSchema = named('Note', { id: uuid, author_id: nullable(uuid), text });

const noteView = ({ id, authorId, text }: Note) => ({ id, author_id: authorId, text });

class AddNote {
  @IsText({ max: 2000 })
  readonly text: string;
}

@Controller('orgs/:org_id/notes')
export class NotesController {
  constructor(private readonly database: DataSource) {}

  @Get()
  @Operation('listNotes', 'The notes of an organization, newest first.')
  @Answers(200, pageFields(NoteSchema))
  async list(@IdParam('org_id') orgId: string, @Query() query: PageQuery) {
    const { data, nextCursor } = await pageOf(query, (before, take) =>
      this.database.manager.find(Note, {
        where: { orgId, ...(before !== null && { id: LessThan(before) }) },
        order: { id: 'DESC' },
        take,
      }),
    );
    return { data: data.map(noteView), next_cursor: nextCursor };
  }

  @Post()
  @MinRole(Role.MEMBER)
  @Operation('addNote', 'Keeps a note for all members of an organization.')
  @Answers(201, { note: NoteSchema })
  async add(@IdParam('org_id') orgId: string, @CurrentUser() user: CallerUser, @Body() { text }: AddNote) {
    const note = { id: uuidv7(), orgId, authorId: user.id, text };
    await this.database.manager.insert(Note, note);
    return { note: noteView(note) };
  }
}
