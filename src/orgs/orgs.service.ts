import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import { Role } from '../access/role.js';
import { User } from '../users/user.entity.js';
import type { Invitation } from './invitation.entity.js';
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

  /** Makes a user, who belongs to no organization yet, a member with the role of the invitation. A higher role stays. */
  async join(user: User, { orgId, role }: Invitation, manager: EntityManager): Promise<void> {
    const granted = user.role === Role.SYSTEM_ADMIN ? user.role : role;
    await manager.update(User, { id: user.id, orgId: IsNull() }, { orgId, role: granted });
  }
}
