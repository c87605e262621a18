import { settingNames } from '../read-environment.js';
import { variableName } from '../variable-name.js';
import type { Finding } from './finding.js';

/**
 * Variables that look like settings and are none: a name that is misspelt would leave its default in force, silently.
 */
export function unknownSettings(variables: object = process.env): Finding[] {
  const known = new Set(
    settingNames()
      .map(variableName)
      .flatMap((name) => [name, `${name}_FILE`]),
  );
  return Object.keys(variables)
    .filter((name) => name.startsWith('SVC_') && !known.has(name))
    .map((name) => ({
      code: 'SETTING_UNKNOWN',
      severity: 'warning',
      text: `${name} is no setting of this version, and does nothing.`,
      fix: 'Look its name up in .env.example.',
    }));
}
