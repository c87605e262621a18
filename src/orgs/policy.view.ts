import type { WholePolicy } from '../accounts/orgs.repository.js';
import { AUTH_METHODS, type Caller } from '../http/caller.js';
import { networkOf } from '../http/org-policy.js';
import {
  count,
  type Described,
  flag,
  list,
  named,
  nullable,
  object,
  oneOf,
  text,
} from '../validation/schema.js';

export const OrgPolicySchema = named('OrgPolicy', {
  second_factor: flag,
  idle_minutes: nullable(count),
  age_minutes: nullable(count),
  login_methods: nullable(list(oneOf(AUTH_METHODS))),
  networks: nullable(list(text)),
  acting: flag,
});

/** A policy, and where its admin comes from, who must not lock themselves out. */
export const POLICY_ANSWER = {
  policy: OrgPolicySchema,
  caller: object({
    /** As the service judges it; null where it does not know. */
    ip: nullable(text),
    /** The network of the policy that lets it in. */
    network: nullable(text),
  }),
};

export function policyAnswer(policy: WholePolicy, { ip }: Caller) {
  const network = ip === null ? null : networkOf(policy.networks ?? [], ip);
  return { policy: policyView(policy), caller: { ip, network } };
}

/** What an admin sees of what their organization asks for. */
export function policyView(policy: WholePolicy): Described<typeof OrgPolicySchema> {
  return {
    second_factor: policy.secondFactor,
    idle_minutes: policy.idleMinutes,
    age_minutes: policy.ageMinutes,
    login_methods: policy.loginMethods && [...policy.loginMethods],
    networks: policy.networks && [...policy.networks],
    acting: policy.acting,
  };
}
