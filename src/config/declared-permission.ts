import { plainToInstance } from 'class-transformer';
import { IsIn } from 'class-validator';
import { check } from '../validation/check.js';
import { IsName, isPermission } from '../validation/rules.js';
import { JsonListOf, type Written } from './json-list.js';
import { Flag } from './variables.js';

/** From the least role that has a permission to the most; `operator` stands for SYSTEM_ADMINs alone. */
const FROM = ['readonly', 'member', 'org_admin', 'operator'] as const;

/** An entry of `SVC_PERMISSIONS`: something that the product lets some of its users do. */
export class DeclaredPermission {
  @check(
    'isPermission',
    isPermission,
    'must be lower-case words with a dot between them, such as notes.write',
  )
  readonly name: string;

  /** What admins read. */
  @IsName()
  readonly title: string;

  @IsIn(FROM, { message: `must be one of ${FROM.join(', ')}` })
  readonly from: (typeof FROM)[number];

  /** Whether keys may have it. */
  @Flag()
  readonly keys: boolean = false;
}

/** A JSON list of permissions. */
export function DeclaredPermissions(): PropertyDecorator {
  return JsonListOf(declaredPermission);
}

export function declaredPermission(written: Written): DeclaredPermission {
  return plainToInstance(DeclaredPermission, written, { exposeDefaultValues: true });
}
