import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseEnvironment, settingNames } from '../../src/config/read-environment.js';
import { variableName } from '../../src/config/variable-name.js';

const example = readFileSync('.env.example', 'utf8');
const entries = [...example.matchAll(/^(SVC_\w+)=(.*)$/gm)].map(([, name = '', value = '']) => ({
  name,
  value,
}));

describe('.env.example', () => {
  it('has every setting, in the order of the Environment', () => {
    expect(entries.map(({ name }) => name)).toEqual(settingNames().map(variableName));
  });

  it('explains each setting, and gives the command that makes a secret', () => {
    for (const { name } of entries) expect(example).toMatch(new RegExp(`^# .+\\n${name}=`, 'm'));
    for (const name of ['SVC_CRON_SECRET', 'SVC_JWT_SECRET_KEY', 'SVC_METRICS_TOKEN']) {
      expect(example).toMatch(new RegExp(`^# .+openssl rand.+\\n${name}=`, 'm'));
    }
  });

  it('is a configuration with which the service starts, with the defaults it names', () => {
    const variables = Object.fromEntries(entries.map(({ name, value }) => [name, value]));
    const { jwtSecretKey: _, ...copied } = parseEnvironment(variables);
    const { jwtSecretKey: __, ...defaults } = parseEnvironment({ SVC_ENVIRONMENT: 'dev' });
    expect(copied).toEqual(defaults);
  });
});
