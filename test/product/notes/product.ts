import { Module } from '@nestjs/common';
import type { Product } from 'latchkey';
import { CreateNotes1800000000000 } from './create-notes.js';
import { Note } from './note.entity.js';
import { NotesController } from './notes.controller.js';

@Module({ controllers: [NotesController] })
class NotesModule {}

export const product: Product = {
  modules: [NotesModule],
  entities: [Note],
  migrations: [CreateNotes1800000000000],
};
