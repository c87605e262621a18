import type { NamedRole } from '../accounts/custom-role.entity.js';
import { type Described, named, text, uuid } from '../validation/schema.js';

/** A custom role, where it is shown at what has it. */
export const NamedRoleSchema = named('NamedRole', { id: uuid, name: text });

export function namedRoleView({ id, name }: NamedRole): Described<typeof NamedRoleSchema> {
  return { id, name };
}
