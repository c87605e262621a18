import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';

const ajv = formats.default(new Ajv({ allErrors: true, strict: true }));

/** Says how a value does not fit a schema of `test/support/schemas`. */
export function readDescription(file: string): (value: unknown) => string[] {
  const fits = ajv.compile(JSON.parse(readFileSync(`test/support/schemas/${file}`, 'utf8')));
  return (value) =>
    fits(value) ? [] : (fits.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
