import { ADDRESS_RULES } from './address-rules.js';
import type { Fault, Rule, Settings } from './fault.js';
import { SECRET_RULES } from './secret-rules.js';
import { CUSTOMER_RULES, SERVICE_RULES } from './service-rules.js';

const DEPLOYED_RULES = [...ADDRESS_RULES, ...SECRET_RULES, ...SERVICE_RULES];

/** What a deployment must not serve with. An environment that is not known is held to the rules of `prod`. */
export function preflight(settings: Settings): Fault[] {
  return rulesOf(settings.environment).flatMap(({ find, ...kind }) =>
    find(settings).map((text) => ({ ...kind, text })),
  );
}

function rulesOf(environment: string | undefined): Rule[] {
  switch (environment) {
    case 'dev':
    case undefined:
      return [];
    case 'beta':
      return DEPLOYED_RULES;
    default:
      return [...DEPLOYED_RULES, ...CUSTOMER_RULES];
  }
}
