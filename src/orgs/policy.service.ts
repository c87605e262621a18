import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { OrgsRepository, type WholePolicy } from '../accounts/orgs.repository.js';
import { type Transaction, Transactions } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import { type Actor, type Caller, type OrgPolicy, THE_SERVICE } from '../http/caller.js';
import { AddressesUnknown, NoSecondFactor, NotFound, PolicyExcludesYou } from '../http/errors.js';
import { NO_POLICY, ORG_RULES, type OrgRule, type Requirement, unmetOf } from '../http/org-policy.js';
import { Role } from '../http/role.js';
import { knowsClients } from '../http/trusted-proxies.js';
import { ActingSessionsService } from '../sessions/acting-sessions.service.js';
import { AuthorityService } from '../sessions/authority.service.js';
import { StepUpRule } from '../sessions/step-up-rule.js';
import { PolicyMails } from '../users/policy-mails.js';
import { given } from '../validation/given.js';
import type { UpdateOrgPolicy } from './policy.dto.js';

/** Requirements that no proof lifts: an admin who lacks one must not set it. */
const EXCLUDING: readonly Requirement[] = ['login_methods', 'networks'];

/** What organizations ask of the sessions that enter them. */
@Injectable()
export class PolicyService {
  constructor(
    private readonly orgs: OrgsRepository,
    private readonly mails: PolicyMails,
    private readonly stepUp: StepUpRule,
    private readonly authority: AuthorityService,
    private readonly acting: ActingSessionsService,
    private readonly environment: Environment,
    private readonly transactions: Transactions,
  ) {}

  /** Throws NotFound. */
  async get(id: string): Promise<WholePolicy> {
    const policy = await this.orgs.findPolicy(id);
    if (!policy) throw new NotFound();
    return policy;
  }

  /** Throws StepUpRequired, NotFound, NoSecondFactor, PolicyExcludesYou and AddressesUnknown. */
  async update(caller: Caller, id: string, body: UpdateOrgPolicy, by: Actor): Promise<WholePolicy> {
    const change = given({
      secondFactor: body.second_factor,
      idleMinutes: body.idle_minutes,
      ageMinutes: body.age_minutes,
      loginMethods: body.login_methods,
      networks: body.networks,
      acting: body.acting,
    });
    // Also before it is made weaker: the thief of a session must not lower the door for every member.
    await this.stepUp.assert(caller);
    await this.transactions.run(by, async (tx) => {
      if (!(await this.orgs.lock(id, tx))) throw new NotFound();
      await this.authority.assertOrgAdmin(caller.user, id, tx);
      await this.set(caller, id, change, tx);
    });
    return this.get(id);
  }

  /**
   * Changes the policy of an organization, which is locked, for a caller who has just proved who they are; tells all of
   * its admins, one of whom may be an intruder. Throws NoSecondFactor, PolicyExcludesYou and AddressesUnknown.
   */
  async set(caller: Caller, id: string, change: Partial<WholePolicy>, tx: Transaction): Promise<void> {
    if (change.networks && !knowsClients(this.environment)) throw new AddressesUnknown();
    const policy = { ...((await this.orgs.findPolicy(id, tx)) as WholePolicy), ...change };
    assertIncludes(caller, change, policy);
    const changed = await this.store(id, policy, {}, tx);
    if (changed.length > 0) await this.mails.policyChanged(caller.user, id, changed, tx);
  }

  /**
   * Takes all requirements away, for an operator who acts on the machine, and tells the admins. Whether SYSTEM_ADMINs may act
   * for members locks nobody out, and stays. Throws NotFound.
   */
  async clear(id: string): Promise<void> {
    await this.transactions.run(THE_SERVICE, async (tx) => {
      const org = await this.orgs.lock(id, tx);
      if (!org) throw new NotFound();
      const { acting } = (await this.orgs.findPolicy(id, tx)) as WholePolicy;
      const changed = await this.store(id, { ...NO_POLICY, acting }, { command: 'org-policy' }, tx);
      if (changed.length > 0) await this.mails.policyCleared(id, tx);
    });
  }

  /** Stores a policy, and records what differs from the former one. Returns which rules do. */
  private async store(
    id: string,
    policy: WholePolicy,
    others: { command?: string },
    tx: Transaction,
  ): Promise<OrgRule[]> {
    const former = (await this.orgs.findPolicy(id, tx)) as WholePolicy;
    const changed = detailsOf(policy, former);
    if (isDeepStrictEqual(policy, former)) return [];
    await this.orgs.setPolicy(id, policy, tx);
    if (!policy.acting) await this.acting.endInOrg(id, tx);
    const details = { ...detailsOf(former, policy, 'former_'), ...changed, ...others };
    await tx.record('org.policy_changed', { orgId: id, details });
    return ORG_RULES.filter((rule) => rule in changed);
  }
}

/** Refuses what would lock out the admin who sets it. No organization binds a SYSTEM_ADMIN, who needs a second factor alone. */
function assertIncludes(caller: Caller, change: Partial<WholePolicy>, policy: OrgPolicy): void {
  if (change.secondFactor && caller.session.aal === 1)
    throw new NoSecondFactor('Log in with a second factor yourself, before you require one of others.');
  if (caller.user.ownRole === Role.SYSTEM_ADMIN) return;
  const unmet = unmetOf(policy, caller);
  if (EXCLUDING.some((each) => unmet.includes(each))) throw new PolicyExcludesYou(unmet);
}

/** The fields of a policy that differ from another one, as an event has them. */
function detailsOf(policy: WholePolicy, other: WholePolicy, prefix = '') {
  const fields = {
    second_factor: [policy.secondFactor, other.secondFactor],
    idle_minutes: [policy.idleMinutes, other.idleMinutes],
    age_minutes: [policy.ageMinutes, other.ageMinutes],
    login_methods: [textOf(policy.loginMethods), textOf(other.loginMethods)],
    networks: [textOf(policy.networks), textOf(other.networks)],
    acting: [policy.acting, other.acting],
  } as const;
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, [value, otherValue]]) =>
      value === otherValue ? [] : [[prefix + name, value]],
    ),
  );
}

const textOf = (values: readonly string[] | null) => values?.join(' ') ?? null;
