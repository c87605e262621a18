import { IsBoolean, IsOptional } from 'class-validator';
import { AUTH_METHODS, type AuthMethod } from '../http/caller.js';
import { IfGiven, IsNetworks, IsSomeOf, WholeNumber } from '../validation/rules.js';

/** Thirty days. */
const MOST_MINUTES = 43_200;

/** What is not given stays; null takes a requirement away. */
export class UpdateOrgPolicy {
  /** Whether a session must have a second factor; turned on by an admin who has one. */
  @IfGiven()
  @IsBoolean()
  readonly second_factor?: boolean;

  /** How many minutes a session may pause before its user proves again who they are. */
  @IsOptional()
  @WholeNumber({ min: 5, max: MOST_MINUTES })
  readonly idle_minutes?: number | null;

  /** After how many minutes a user proves again who they are. */
  @IsOptional()
  @WholeNumber({ min: 15, max: MOST_MINUTES })
  readonly age_minutes?: number | null;

  /** The ways to log in of which one must have proven the session. */
  @IsOptional()
  @IsSomeOf(AUTH_METHODS)
  readonly login_methods?: AuthMethod[] | null;

  /** The networks, as CIDR blocks, from which members may come. */
  @IsOptional()
  @IsNetworks()
  readonly networks?: string[] | null;

  /** Whether SYSTEM_ADMINs may act in the organization for its members; false also ends it for those who do. */
  @IfGiven()
  @IsBoolean()
  readonly acting?: boolean;
}
