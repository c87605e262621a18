import { ADDRESS_RULES } from './address-rules.js';
import type { Finding, Rule, Settings } from './finding.js';
import { SECRET_RULES } from './secret-rules.js';
import { CUSTOMER_RULES, DEV_RULES, SERVICE_RULES, UNKNOWN_ENVIRONMENT_RULES } from './service-rules.js';

const DEPLOYED_RULES = [...ADDRESS_RULES, ...SECRET_RULES, ...SERVICE_RULES];

/** The findings that a deployment must not serve with. An unknown environment gets the rules of `prod`. */
export function preflight(settings: Settings): Finding[] {
  return rulesOf(settings.environment).flatMap(({ find, ...kind }) =>
    find(settings).map((text) => ({ ...kind, text })),
  );
}

function rulesOf(environment: string | undefined): Rule[] {
  switch (environment) {
    case 'dev':
      return DEV_RULES;
    case undefined:
      return [];
    case 'beta':
      return DEPLOYED_RULES;
    case 'prod':
      return [...DEPLOYED_RULES, ...CUSTOMER_RULES];
    default:
      return [...UNKNOWN_ENVIRONMENT_RULES, ...DEPLOYED_RULES, ...CUSTOMER_RULES];
  }
}
