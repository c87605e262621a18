import type { Environment } from '../config/environment.js';
import { isAtLeast, Role } from '../http/role.js';

/** The roles whose users must have a second factor. */
export function secondStepRoles({ environment, secondStepFrom }: Environment): Role[] {
  const lowest = secondStepFrom ?? (environment === 'dev' ? 'none' : Role.SYSTEM_ADMIN);
  return Object.values(Role).filter((role) => lowest !== 'none' && isAtLeast(role, lowest as Role));
}
