import { isDeepStrictEqual } from 'node:util';
import { Environment } from '../config/environment.js';
import { type Limit, limitText } from '../config/limit.js';
import { variableName } from '../config/variable-name.js';
import { isShown } from '../config/variables.js';
import { type Described, flag, nullable, object, text } from '../validation/schema.js';
import { fingerprint } from './fingerprint.js';

export const SettingSchema = object({
  name: text,
  value: nullable(text),
  fingerprint: nullable(text),
  is_default: flag,
});

const defaults = new Environment();

/** A setting as its variable says it; of a secret its fingerprint, of several one each. Both are null where it is unset. */
export function settingView(
  name: keyof Environment,
  environment: Environment,
): Described<typeof SettingSchema> {
  const value = environment[name];
  const isOpen = isShown(Environment, name);
  const entries = entriesOf(value);
  const fingerprints = () => entries.map((entry) => fingerprint(entry, environment.jwtSecretKey));
  return {
    name: variableName(name),
    value: isOpen && value !== undefined ? entries.join(',') : null,
    fingerprint: isOpen || entries.length === 0 ? null : fingerprints().join(','),
    is_default: isDeepStrictEqual(value, defaults[name]),
  };
}

function entriesOf(value: Environment[keyof Environment]): string[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value.map(entryText) : [String(value)];
}

/** An entry of a list: a text, a limit, or what was JSON. */
function entryText(entry: string | object): string {
  if (typeof entry === 'string') return entry;
  return 'max' in entry ? limitText(entry as Limit) : JSON.stringify(entry);
}
