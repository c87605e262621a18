import { IsOptional } from 'class-validator';
import { check } from '../../validation/check.js';
import { IsToken } from '../../validation/rules.js';

const MAX_PATH_LENGTH = 1024;

/** Any origin will do to see what becomes of a path: `/..//evil.example` is `//evil.example`, another origin. */
const SOME_ORIGIN = 'https://spa.invalid';

export class AuthorizeQuery {
  @check('isPathOfSpa', isPathOfSpa, 'must be a path of the application, such as /home', {
    type: 'string',
    maxLength: MAX_PATH_LENGTH,
  })
  readonly return_to: string = '/';

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
    !new URL(SOME_ORIGIN + value).pathname.startsWith('//')
  );
}
