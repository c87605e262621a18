import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import { Role } from '../access/role.js';
import { User } from '../users/user.entity.js';
import { Organization } from './organization.entity.js';

/** The organizations and who belongs to them. */
@Injectable()
export class OrgsService {
  /** Founds an organization with a user, who belongs to none yet, as its admin. */
  async found(name: string, adminId: string, manager: EntityManager): Promise<void> {
    const orgId = uuidv7();
    await manager.insert(Organization, { id: orgId, name });
    await manager.update(User, { id: adminId }, { orgId, role: Role.ORG_ADMIN });
  }
}
