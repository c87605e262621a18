import { Injectable } from '@nestjs/common';
import type { Caller, OrgPolicy } from '../http/caller.js';
import { OrgPolicyUnmet, StepUpRequired } from '../http/errors.js';
import { unmetBy } from '../http/org-of-request.js';
import type { Requirement } from '../http/org-policy.js';
import { type StepUpMethod, StepUpRule } from './step-up-rule.js';

/** What a user can do about requirements that no proof in the session lifts. */
type Cure = 'set_up_factor' | 'log_in' | 'none';

/**
 * Whether a session has what the organization of its request asks for. A requirement binds requests into that organization
 * alone, from the next one on: it ends no session, so that it reaches neither the account nor another organization.
 */
@Injectable()
export class PolicyRule {
  constructor(private readonly stepUp: StepUpRule) {}

  /** Throws StepUpRequired where a proof in the session gives all that is missing, else OrgPolicyUnmet. */
  async assertMet(caller: Caller): Promise<void> {
    const { user, membership } = caller;
    const unmet = unmetBy(caller);
    if (!membership?.policy || unmet.length === 0) return;

    const { id, policy } = membership;
    const proofs = await this.stepUp.methodsOf(user);
    const curing = proofs.filter((method) => unmet.every((each) => lifts(method, each, policy)));
    if (curing.length > 0) throw new StepUpRequired(curing, { org_id: id, unmet });
    throw new OrgPolicyUnmet(id, unmet, cureOf(unmet, proofs));
  }
}

/** Whether a proof within the session meets a requirement. */
function lifts(method: StepUpMethod, requirement: Requirement, { loginMethods }: OrgPolicy): boolean {
  if (requirement === 'second_factor') return method !== 'password';
  if (requirement === 'login_methods') return loginMethods?.some((each) => each === method) === true;
  return requirement !== 'networks';
}

function cureOf(unmet: readonly Requirement[], proofs: StepUpMethod[]): Cure {
  if (unmet.includes('networks')) return 'none';
  const hasFactor = proofs.some((method) => method !== 'password');
  return unmet.includes('second_factor') && !hasFactor ? 'set_up_factor' : 'log_in';
}
