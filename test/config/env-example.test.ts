import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseEnvironment } from '../../src/config/read-environment.js';

const example = readFileSync('.env.example', 'utf8');
const entries = [...example.matchAll(/^(#?)(SVC_\w+)=("?)(.*)\3$/gm)].map(
  ([, mark, name = '', , value = '']) => ({
    name,
    value,
    isSet: mark === '',
  }),
);
const variablesOf = (some: typeof entries) =>
  Object.fromEntries(some.map(({ name, value }) => [name, value]));

const DEV = { SVC_ENVIRONMENT: 'dev' };

describe('.env.example', () => {
  it('explains each setting, and gives the command that makes a secret', () => {
    for (const { name } of entries) expect(example).toMatch(new RegExp(`^# .+\\n#?${name}=`, 'm'));
    for (const name of ['SVC_CRON_SECRET', 'SVC_JWT_SECRET_KEY', 'SVC_METRICS_TOKEN']) {
      expect(example).toMatch(new RegExp(`^# .+openssl rand.+\\n#?${name}=`, 'm'));
    }
  });

  it('names no environment, so that a copy of it does not begin as dev in public', () => {
    expect(() => parseEnvironment(variablesOf(entries))).toThrow('SVC_ENVIRONMENT is missing');
  });

  it('lacks only what an operator has to fill in', () => {
    const missing = ['SVC_ENVIRONMENT', 'SVC_JWT_SECRET_KEY', 'SVC_DATABASE_URL'];
    const lines = missing.map((name) => `  - ${name} is missing: .+`);
    expect(() => parseEnvironment(variablesOf(entries))).toThrow(new RegExp(`:\n${lines.join('\n')}$`));
  });

  it('is a configuration of dev with which the service starts, with the defaults it names', () => {
    const { jwtSecretKey: _, ...copied } = parseEnvironment({ ...variablesOf(entries), ...DEV });
    const { jwtSecretKey: __, ...defaults } = parseEnvironment(DEV);
    expect(copied).toEqual(defaults);
  });

  it('sets only what has to be set, so that the variables of an image stay in force', () => {
    const set = entries.filter(({ isSet }) => isSet);

    expect(set.map(({ name }) => name)).toEqual([
      'SVC_ENVIRONMENT',
      'SVC_BASE_WEB_URL',
      'SVC_BASE_API_URL',
      'SVC_DATABASE_URL',
      'SVC_JWT_SECRET_KEY',
      'SVC_EMAIL_PROVIDER',
    ]);
    expect(parseEnvironment({ SVC_HOST: '0.0.0.0', ...variablesOf(set), ...DEV }).host).toBe('0.0.0.0');
  });
});
