import { IsIn, IsOptional } from 'class-validator';
import { check } from '../../validation/check.js';
import { IsToken } from '../../validation/rules.js';

const MAX_PATH_LENGTH = 1024;

/** Browsers resolve these before they send a path, and `%2e` counts as a dot: `/..//evil.example` is another origin. */
const DOT_SEGMENT = /\/(\.|%2e){1,2}(\/|$)/i;

export class AuthorizeQuery {
  @check('isPathOfSpa', isPathOfSpa, 'must be a path of the application, such as /home', {
    type: 'string',
    maxLength: MAX_PATH_LENGTH,
  })
  readonly return_to: string = '/';

  /** With `ui` the way back leads to the service's own pages, and `return_to` is a path below `/ui`. */
  @IsOptional()
  @IsIn(['ui'])
  readonly via?: 'ui';

  @IsOptional()
  @IsToken()
  readonly invitation_token?: string;
}

/** Browsers take `\` for `/`, and ignore tabs and line breaks: `/\evil.example` is another origin. */
function isPathOfSpa(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.length <= MAX_PATH_LENGTH &&
    value.isWellFormed() &&
    /^\/(?!\/)[^\\\p{Cc}]*$/u.test(value) &&
    !DOT_SEGMENT.test(value.replace(/[?#].*/, ''))
  );
}
