import { IsBoolean } from 'class-validator';
import { IfGiven, IsOrgOrNone, IsText, MAX_REASON_CODE_POINTS } from '../validation/rules.js';

export class Act {
  /** Why; the owner of the account reads it. */
  @IsText({ max: MAX_REASON_CODE_POINTS })
  readonly reason: string;

  /** The one organization that the admin enters, or `none`. */
  @IsOrgOrNone()
  readonly org_id: string;

  /** Whether to do more than look. */
  @IfGiven()
  @IsBoolean()
  readonly write: boolean = false;
}
