import { isIP } from 'node:net';
import { applyDecorators } from '@nestjs/common';
import { Transform, Type } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';
import { validateCronExpression } from 'cron';
import { check } from '../validation/check.js';

/** A whole number between two bounds. */
export function WholeNumber({ min, max }: { min: number; max: number }): PropertyDecorator {
  return applyDecorators(
    Type(() => Number),
    IsInt(),
    Min(min),
    Max(max),
  );
}

/** An absolute http(s) address without query or fragment; a trailing slash is taken off. */
export function BaseUrl(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? value.replace(/\/+$/, '') : value)),
    check('isBaseUrl', isBaseUrl, 'must be an http:// or https:// address without query or fragment'),
  );
}

/** An absolute http(s) address without fragment. */
export function HttpUrl(): PropertyDecorator {
  return check('isHttpUrl', isHttpUrl, 'must be an http:// or https:// address without fragment');
}

/** A comma-separated list, every entry of which passes the test. */
export function ListOf(
  test: (entry: string) => boolean,
  wanted: string,
  longest = Number.POSITIVE_INFINITY,
): PropertyDecorator {
  const isList = (value: unknown) => Array.isArray(value) && value.length <= longest && value.every(test);
  return applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? splitList(value) : value)),
    check('isListOf', isList, `must be a list of ${wanted}`),
  );
}

/** A secret long enough that guessing it is hopeless: 32 characters, as `openssl rand -base64 32` makes 44. */
export function Secret(): PropertyDecorator {
  return check(
    'isSecret',
    (value) => typeof value === 'string' && value.length >= 32,
    'must have at least 32 characters',
  );
}

/** Five or six fields as cron(8) reads them. */
export function CronExpression(): PropertyDecorator {
  return check('isCronExpression', isCronExpression, 'must be a cron expression, such as "0 3 * * *"');
}

export function isOrigin(entry: string): boolean {
  return isBaseUrl(entry) && new URL(entry).origin === entry;
}

export function isAddressBlock(entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  const fits = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  return bits > 0 && fits && rest.length === 0;
}

/** What Stripe's dashboard shows of a webhook endpoint; its id (we_…) is pasted by mistake. */
export function isSigningSecret(entry: string): boolean {
  return /^whsec_\S+$/.test(entry);
}

/** `price_…`, or any name that a plan of an older account was given. */
export function isPriceId(value: unknown): value is string {
  return typeof value === 'string' && /^\w[\w.-]{0,254}$/.test(value);
}

function isBaseUrl(value: unknown): boolean {
  return isHttpUrl(value) && new URL(value).search === '';
}

function isHttpUrl(value: unknown): value is string {
  if (typeof value !== 'string' || !/^https?:\/\//.test(value) || !URL.canParse(value)) return false;
  const { hash, username, password } = new URL(value);
  return !hash && !username && !password;
}

function isCronExpression(value: unknown): boolean {
  return typeof value === 'string' && validateCronExpression(value).valid;
}

function splitList(value: string): string[] {
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
}
