import { AUTH_METHODS, type OrgPolicy } from '../http/caller.js';

import { count, type Described, flag, list, named, nullable, oneOf, text } from '../validation/schema.js';

export const OrgPolicySchema = named('OrgPolicy', {
  second_factor: flag,
  idle_minutes: nullable(count),
  age_minutes: nullable(count),
  login_methods: nullable(list(oneOf(AUTH_METHODS))),
  networks: nullable(list(text)),
});

/** What an admin sees of what their organization asks for. */
export function policyView(policy: OrgPolicy): Described<typeof OrgPolicySchema> {
  return {
    second_factor: policy.secondFactor,
    idle_minutes: policy.idleMinutes,
    age_minutes: policy.ageMinutes,
    login_methods: policy.loginMethods && [...policy.loginMethods],
    networks: policy.networks && [...policy.networks],
  };
}
