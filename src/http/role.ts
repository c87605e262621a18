/** The roles, by their stored names. */
export enum Role {
  READONLY = 'readonly',
  MEMBER = 'member',
  ORG_ADMIN = 'org_admin',
  SYSTEM_ADMIN = 'sys_admin',
}

const PRECEDENCE: Record<Role, number> = {
  [Role.READONLY]: 0,
  [Role.MEMBER]: 1,
  [Role.ORG_ADMIN]: 2,
  [Role.SYSTEM_ADMIN]: 3,
};

/** Whether a role is the required one or ranks above it. */
export function isAtLeast(role: Role, required: Role): boolean {
  return PRECEDENCE[role] >= PRECEDENCE[required];
}
