import { Body, Controller, Get, Patch } from '@nestjs/common';
import { type Actor, By, type Caller, CurrentCaller } from '../http/caller.js';
import { AddressesUnknown, NoSecondFactor, PolicyExcludesYou, StepUpRequired } from '../http/errors.js';
import { IdParam } from '../http/id-param.js';
import { Role } from '../http/role.js';
import { Answers, Limited, MinRole, Operation, Problems } from '../http/route.js';
import { UpdateOrgPolicy } from './policy.dto.js';
import { PolicyService } from './policy.service.js';
import { POLICY_ANSWER, policyAnswer } from './policy.view.js';

@MinRole(Role.ORG_ADMIN)
@Controller('orgs/:org_id/policy')
export class PolicyController {
  constructor(private readonly policies: PolicyService) {}

  @Get()
  @Operation('getOrgPolicy', 'What an organization asks of the sessions that enter it.')
  @Answers(200, POLICY_ANSWER)
  async get(@CurrentCaller() caller: Caller, @IdParam('org_id') id: string) {
    return policyAnswer(await this.policies.get(id), caller);
  }

  @Patch()
  @Limited('changePerUser')
  @Operation(
    'updateOrgPolicy',
    'Changes what an organization asks of the sessions that enter it, which asks for a recent proof.',
  )
  @Answers(200, POLICY_ANSWER)
  @Problems([StepUpRequired, NoSecondFactor, PolicyExcludesYou, AddressesUnknown])
  async update(
    @CurrentCaller() caller: Caller,
    @IdParam('org_id') id: string,
    @Body() body: UpdateOrgPolicy,
    @By() by: Actor,
  ) {
    return policyAnswer(await this.policies.update(caller, id, body, by), caller);
  }
}
