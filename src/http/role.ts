/** The roles, by their stored names. */
export enum Role {
  READONLY = 'readonly',
  MEMBER = 'member',
  ORG_ADMIN = 'org_admin',
  SYSTEM_ADMIN = 'sys_admin',
}

/** A role that an organization gives. */
export type OrgRole = Exclude<Role, Role.SYSTEM_ADMIN>;

/** The place in the order of a role that an organization composed. Such a role never administers the organization. */
export type CustomRoleBase = Exclude<OrgRole, Role.ORG_ADMIN>;

/** A role that the service gives, whatever the organizations of a user. */
export type OwnRole = Exclude<Role, Role.ORG_ADMIN>;

const PRECEDENCE: Record<Role, number> = {
  [Role.READONLY]: 0,
  [Role.MEMBER]: 1,
  [Role.ORG_ADMIN]: 2,
  [Role.SYSTEM_ADMIN]: 3,
};

/** The own role of a user whom a SYSTEM_ADMIN gives a role. */
export function ownRoleOf(role: Role): OwnRole {
  return role === Role.ORG_ADMIN ? Role.MEMBER : role;
}

/** The role within an organization of a user who has a role there: a SYSTEM_ADMIN administers it too. */
export function orgRoleOf(role: Role): OrgRole {
  return role === Role.SYSTEM_ADMIN ? Role.ORG_ADMIN : role;
}

/** From the lowest to the highest. */
export const ROLES_IN_ORDER = Object.values(Role).sort((one, other) => PRECEDENCE[one] - PRECEDENCE[other]);

/** Whether a role is the required one or ranks above it. */
export function isAtLeast(role: Role, required: Role): boolean {
  return PRECEDENCE[role] >= PRECEDENCE[required];
}
