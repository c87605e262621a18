import { Body, Controller, Post } from '@nestjs/common';
import { type Actor, By, type CallerUser, CurrentUser } from '../http/caller.js';
import { AlreadyInOrganization, TooManyOrganizations } from '../http/errors.js';
import { Role } from '../http/role.js';
import { Answers, B2COnly, Limited, MinRole, Operation, Personal, Problems } from '../http/route.js';
import { UserSchema, userView } from '../users/user.view.js';
import { OrganizationSchema, orgView } from './org.view.js';
import { FoundOrg } from './orgs.dto.js';
import { OrgsService } from './orgs.service.js';

@Personal()
@Controller('users/me/org')
export class OwnOrgController {
  constructor(private readonly orgs: OrgsService) {}

  /** A user made READONLY outside of organizations must not raise themselves by founding one. */
  @Post()
  @B2COnly()
  @MinRole(Role.MEMBER)
  @Limited('foundPerUser')
  @Operation('foundOrg', 'Founds an organization, whose ORG_ADMIN the caller becomes.')
  @Answers(201, { org: OrganizationSchema, user: UserSchema })
  @Problems([AlreadyInOrganization, TooManyOrganizations])
  async found(@CurrentUser() caller: CallerUser, @Body() { name }: FoundOrg, @By() by: Actor) {
    const { org, user } = await this.orgs.foundLater(name, caller, by);
    return { org: orgView(org), user: userView(user) };
  }
}
