import { IsIn, IsOptional } from 'class-validator';
import { IsPathOfSpa, IsToken } from '../../validation/rules.js';

/** Where a flow leads back to. */
export class LinkIdentity {
  @IsPathOfSpa()
  readonly return_to: string = '/';

  /** With `ui` the way back leads to the service's own pages, and `return_to` is a path below `/ui`. */
  @IsOptional()
  @IsIn(['ui'])
  readonly via?: 'ui';
}

export class AuthorizeQuery extends LinkIdentity {
  @IsOptional()
  @IsToken()
  readonly invitation_token?: string;
}
