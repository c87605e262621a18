import { Controller, Get } from '@nestjs/common';
import { type Caller, CurrentCaller } from '../http/caller.js';
import { Answers, Operation, Personal, ReadsAccessWhen } from '../http/route.js';
import { list } from '../validation/schema.js';
import { AccessService } from './access.service.js';
import { AccessSchema, PermissionSchema, permissionView } from './access.view.js';
import { Permissions } from './permissions.js';

/** What users may do, as pages ask it: it decides what is shown. What is allowed, each route decides. */
@Controller()
export class AccessController {
  constructor(
    private readonly permissions: Permissions,
    private readonly access: AccessService,
  ) {}

  @Get('permissions')
  @Personal()
  @Operation('listPermissions', 'Lists the permissions that are declared.')
  @Answers(200, { data: list(PermissionSchema) })
  list() {
    return { data: this.permissions.all.map(permissionView) };
  }

  @Get('access')
  @ReadsAccessWhen(() => true)
  @Operation('access', 'Says what the user may do in the organization of the request.')
  @Answers(200, { access: AccessSchema })
  async get(@CurrentCaller() caller: Caller) {
    return { access: await this.access.of(caller) };
  }
}
