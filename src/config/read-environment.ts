import { readFileSync } from 'node:fs';
import { ConfigModule } from '@nestjs/config';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, type ValidationError, validateSync } from 'class-validator';
import { Environment } from './environment.js';
import { describeFinding, type Settings } from './preflight/finding.js';
import { preflight } from './preflight/preflight.js';
import { DEV_JWT_SECRET_KEY } from './preflight/secret-rules.js';
import { conflictErrors } from './setting-conflicts.js';
import { variableName } from './variable-name.js';

type Variables = Record<string, string | undefined>;

/** All that is wrong with a configuration: one line for each error, which names its variable. */
export class InvalidEnvironment extends Error {
  constructor(readonly errors: string[]) {
    const lines = errors.map((error) => `  - ${error}`);
    super(['The configuration is not valid; .env.example explains each variable:', ...lines].join('\n'));
  }
}

/**
 * The environment of this process; a `.env` file in the working directory fills in what is not set.
 * Rejects with InvalidEnvironment, which has every error at once.
 */
export function readEnvironment(fixed: Variables = {}): Promise<Environment> {
  return readChecked((variables) => parseEnvironment({ ...variables, ...fixed }));
}

/** The environment to serve with. It must pass the preflight too, whose errors come together with the others. */
export function readSoundEnvironment(): Promise<Environment> {
  return readChecked((variables) => {
    const { environment, errors, sound } = inspect(variables);
    const findings = preflight(sound).filter(({ severity }) => severity === 'error');
    refuse([...errors, ...findings.map(describeFinding)]);
    return environment;
  });
}

/**
 * The environment for what needs nothing but the database: a process that migrates need not hold the other secrets of
 * the service. The owner's address alone will do.
 */
export function readDatabaseEnvironment(): Promise<Environment> {
  return readChecked((variables) => {
    const { environment, errors } = inspect(variables);
    const url = environment.databaseUrl ?? environment.databaseOwnerUrl;
    const isNamed = (error: string) => url !== undefined && error.startsWith('SVC_DATABASE_URL is missing');
    refuse(errors.filter((error) => error.startsWith('SVC_DATABASE_') && !isNamed(error)));
    return { ...environment, ...(url !== undefined && { databaseUrl: url }) };
  });
}

/** The settings that a set of variables describes; a variable set to nothing counts as unset. */
export function parseEnvironment(variables: Variables): Environment {
  const { environment, errors } = inspect(variables);
  refuse(errors);
  return environment;
}

/** The settings of the service, in the order of the Environment. */
export function settingNames(): (keyof Environment)[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(Environment, '', false, false);
  return [...new Set(rules.map((rule) => rule.propertyName as keyof Environment))];
}

/** @nestjs/config reads the variables of this process and its `.env` file, and has them checked. */
async function readChecked(check: (variables: Variables) => Environment): Promise<Environment> {
  let environment = new Environment();
  await ConfigModule.forRoot({
    validate: (variables) => {
      environment = check(variables);
      // Whatever it returns is written into process.env, which child processes inherit: so no setting.
      return variables;
    },
  });
  return environment;
}

function refuse(errors: string[]): void {
  if (errors.length > 0) throw new InvalidEnvironment(errors);
}

/** The settings, what is wrong with them, and those of them that are well-formed. */
function inspect(variables: Variables) {
  const files = valuesInFiles(filled(variables));
  const set = { ...filled(variables), ...files.values };
  const given = set.SVC_ENVIRONMENT === 'dev' ? { ...devDefaults(set), ...set } : set;
  const settings = Object.fromEntries(
    settingNames().flatMap((setting) => {
      const value = given[variableName(setting)];
      return value === undefined ? [] : [[setting, value]];
    }),
  );

  const environment = plainToInstance(Environment, settings, { exposeDefaultValues: true });
  const violations = validateSync(environment, {
    stopAtFirstError: true,
    whitelist: true,
    forbidNonWhitelisted: true,
  });
  const errors = [
    ...files.errors,
    ...violations.flatMap((violation) => describeViolation(violation)),
    ...conflictErrors(environment, settings),
  ];
  const malformed = new Set(violations.map(({ property }) => property));
  const sound: Settings = Object.fromEntries(
    Object.entries(environment).filter(([setting]) => !malformed.has(setting)),
  );
  return { environment, errors, sound };
}

/**
 * The values of `SVC_X_FILE`, each the content of a file, without the line break that editors end it with: where
 * containers, Kubernetes and systemd put secrets.
 */
function valuesInFiles(variables: Variables) {
  const values: Variables = {};
  const errors: string[] = [];
  for (const name of settingNames().map(variableName)) {
    const path = variables[`${name}_FILE`];
    if (path === undefined) continue;
    if (variables[name] !== undefined) errors.push(`${name}_FILE is set, and so is ${name}`);
    try {
      values[name] = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      errors.push(
        `${name}_FILE names ${path}, which cannot be read: ${(error as NodeJS.ErrnoException).code}`,
      );
    }
  }
  return { values, errors };
}

/** What lets `npm run dev` start with nothing configured. */
function devDefaults(variables: Variables): Variables {
  const api = variables.SVC_BASE_API_URL ?? `http://localhost:${variables.SVC_PORT ?? 3000}`;
  return {
    // Without the pages, where an application's development server listens.
    SVC_BASE_WEB_URL:
      variables.SVC_PAGES === 'off' ? 'http://localhost:5173' : `${api.replace(/\/+$/, '')}/ui`,
    SVC_BASE_API_URL: api,
    SVC_EMAIL_PROVIDER: 'stub',
    SVC_JWT_SECRET_KEY: DEV_JWT_SECRET_KEY,
    SVC_STOP_DELAY_SECONDS: '0',
  };
}

function filled(variables: Variables): Variables {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value?.trim()));
}

/** A line for each rule that a setting breaks; one of a list names the position, such as `SVC_IDP_OTHERS[0].issuer`. */
function describeViolation(violation: ValidationError, within?: string): string[] {
  const { property, value, constraints, children = [] } = violation;
  const name = nameWithin(property, within);
  if (!constraints) return children.flatMap((child) => describeViolation(child, name));
  if (constraints.whitelistValidation) return [`${name} is not known`];
  const [message = ''] = Object.values(constraints);
  const rule = message.startsWith(property) ? message.slice(property.length).trim() : message;
  return [`${name} ${value === undefined ? `is missing: it ${rule}` : rule}`];
}

function nameWithin(property: string, within?: string): string {
  if (within === undefined) return variableName(property);
  return /^\d+$/.test(property) ? `${within}[${property}]` : `${within}.${property}`;
}
