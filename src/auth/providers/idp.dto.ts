import { IsIn, IsOptional } from 'class-validator';
import { IsPathOfSpa, IsToken } from '../../validation/rules.js';

export class AuthorizeQuery {
  @IsPathOfSpa()
  readonly return_to: string = '/';

  /** With `ui` the way back leads to the service's own pages, and `return_to` is a path below `/ui`. */
  @IsOptional()
  @IsIn(['ui'])
  readonly via?: 'ui';

  @IsOptional()
  @IsToken()
  readonly invitation_token?: string;
}
