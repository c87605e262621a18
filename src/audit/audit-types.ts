import { ACTS, type AuditType, FORMER_ACTS } from './acts.js';

export const AUDIT_TYPES = Object.keys(ACTS) as AuditType[];

export const FORMER_AUDIT_TYPES = Object.keys(FORMER_ACTS) as (keyof typeof FORMER_ACTS)[];

const ALL_TYPES: readonly string[] = [...AUDIT_TYPES, ...FORMER_AUDIT_TYPES];

/** The kinds of acts by the word that their types begin with, such as `login.*`. */
export const AUDIT_FAMILIES = [
  ...new Set(ALL_TYPES.filter((type) => type.includes('.')).map((type) => `${type.split('.')[0]}.*`)),
];

/** The types that a filter names: one, or all of a family. */
export function typesNamed(name: string): string[] {
  return name.endsWith('.*') ? ALL_TYPES.filter((type) => type.startsWith(name.slice(0, -1))) : [name];
}
