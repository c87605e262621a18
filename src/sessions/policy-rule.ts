import { Injectable } from '@nestjs/common';
import { isSecondFactor, type StepUpMethod } from '../accounts/factors.js';
import type { Caller, CallerMembership, OrgPolicy } from '../http/caller.js';
import { OrgPolicyUnmet, StepUpRequired } from '../http/errors.js';
import { unmetBy } from '../http/org-of-request.js';
import type { Requirement } from '../http/org-policy.js';
import { StepUpRule } from './step-up-rule.js';

/** What a user can do about requirements that no proof in the session lifts. */
type Cure = 'set_up_factor' | 'log_in' | 'none';

/**
 * Whether a session has what the organization of its request asks for. A requirement binds requests into that organization
 * alone, from the next one on: it ends no session, so that it reaches neither the account nor another organization.
 */
@Injectable()
export class PolicyRule {
  constructor(private readonly stepUp: StepUpRule) {}

  /** Whether a caller lacks what the organization of the request asks for. */
  isUnmet(caller: Caller): boolean {
    return unmetBy(caller).length > 0;
  }

  /** StepUpRequired where a proof in the session gives all that is missing, else OrgPolicyUnmet. */
  async refusalOf(caller: Caller): Promise<StepUpRequired | OrgPolicyUnmet> {
    const { id, policy } = caller.membership as CallerMembership;
    const unmet = unmetBy(caller);
    const proofs = await this.stepUp.methodsOf(caller.user);
    const curing = proofs.filter((method) => unmet.every((each) => lifts(method, each, policy)));
    return curing.length > 0
      ? new StepUpRequired(curing, { org_id: id, unmet })
      : new OrgPolicyUnmet(id, unmet, cureOf(unmet, proofs));
  }
}

/** Whether a proof within the session meets a requirement. */
function lifts(method: StepUpMethod, requirement: Requirement, policy: OrgPolicy | null): boolean {
  if (requirement === 'second_factor') return isSecondFactor(method);
  if (requirement === 'login_methods') return policy?.loginMethods?.some((each) => each === method) === true;
  return requirement !== 'networks';
}

function cureOf(unmet: readonly Requirement[], proofs: StepUpMethod[]): Cure {
  if (unmet.includes('networks')) return 'none';
  const hasFactor = proofs.some(isSecondFactor);
  return unmet.includes('second_factor') && !hasFactor ? 'set_up_factor' : 'log_in';
}
