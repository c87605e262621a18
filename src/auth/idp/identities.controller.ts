import { Controller, Delete, Get, HttpCode } from '@nestjs/common';
import type { Actor } from '../../audit/audit.js';
import { By, CurrentUser } from '../../sessions/caller.js';
import { User } from '../../users/user.entity.js';
import { IdParam } from '../../validation/uuid.js';
import { IdentitiesService } from './identities.service.js';
import type { Identity } from './identity.entity.js';

@Controller('users/me/identities')
export class IdentitiesController {
  constructor(private readonly identities: IdentitiesService) {}

  @Get()
  async list(@CurrentUser() user: User) {
    return { data: (await this.identities.list(user)).map(identityView) };
  }

  @Delete(':id')
  @HttpCode(204)
  async unlink(@CurrentUser() user: User, @IdParam('id') id: string, @By() by: Actor) {
    await this.identities.unlink(user, id, by);
  }
}

function identityView({ id, provider, email, createdAt }: Identity) {
  return { id, provider, email, created_at: createdAt };
}
