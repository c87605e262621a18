import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import type { Passkey } from '../../accounts/passkey.entity.js';
import { relyingPartyId } from '../../config/relying-party.js';
import {
  type Actor,
  By,
  type Caller,
  type CallerUser,
  CurrentCaller,
  CurrentUser,
} from '../../http/caller.js';
import {
  InvalidPasskey,
  LastLoginMethod,
  LastSecondFactor,
  NotFound,
  PasskeyAlreadyRegistered,
  TooManyPasskeys,
} from '../../http/errors.js';
import { IdParam } from '../../http/id-param.js';
import {
  Answers,
  Limited,
  OpenWhen,
  Operation,
  Personal,
  Problems,
  RequiresStepUp,
} from '../../http/route.js';
import {
  anything,
  type Described,
  flag,
  instant,
  list,
  named,
  nullable,
  text,
  uuid,
} from '../../validation/schema.js';
import { RegisterPasskey, RenamePasskey } from './passkeys.dto.js';
import { PasskeysService } from './passkeys.service.js';

/** Browsers make no passkey for an address without a domain. */
export const WithPasskeys = () => OpenWhen((environment) => relyingPartyId(environment) !== null);

const PasskeySchema = named('Passkey', {
  id: uuid,
  name: text,
  credential_id: text,
  backed_up: flag,
  created_at: instant,
  last_used_at: nullable(instant),
});

@Personal()
@Controller('users/me/passkeys')
export class PasskeysController {
  constructor(private readonly passkeys: PasskeysService) {}

  @Get()
  @WithPasskeys()
  @Operation('listPasskeys', 'The passkeys that the caller can log in with, newest first: 20 at most.')
  @Answers(200, { data: list(PasskeySchema) })
  async list(@CurrentUser() user: CallerUser) {
    return { data: (await this.passkeys.list(user)).map(passkeyView) };
  }

  @Post('options')
  @WithPasskeys()
  @RequiresStepUp()
  @Operation('beginPasskey', 'What the browser makes a passkey with: PublicKeyCredentialCreationOptionsJSON.')
  @Answers(200, { options: anything })
  @Problems([TooManyPasskeys])
  async begin(@CurrentCaller() caller: Caller) {
    return { options: await this.passkeys.begin(caller) };
  }

  @Post()
  @WithPasskeys()
  @RequiresStepUp()
  @Limited('factorPerUser')
  @Operation('registerPasskey', 'Registers the passkey that the browser has made, and tells the owner.')
  @Answers(201, { passkey: PasskeySchema })
  @Problems([InvalidPasskey, PasskeyAlreadyRegistered, TooManyPasskeys])
  async register(@CurrentCaller() caller: Caller, @Body() body: RegisterPasskey, @By() by: Actor) {
    return { passkey: passkeyView(await this.passkeys.register(caller, body, by)) };
  }

  /** Or the thief of a session would hide a passkey of theirs behind the name of the owner's. */
  @Patch(':id')
  @WithPasskeys()
  @RequiresStepUp()
  @Limited('changePerUser')
  @Operation('renamePasskey', 'Gives a passkey another name.')
  @Answers(200, { passkey: PasskeySchema })
  @Problems([NotFound])
  async rename(
    @CurrentUser() user: CallerUser,
    @IdParam('id') id: string,
    @Body() { name }: RenamePasskey,
    @By() by: Actor,
  ) {
    return { passkey: passkeyView(await this.passkeys.rename(user, id, name, by)) };
  }

  @Delete(':id')
  @WithPasskeys()
  @RequiresStepUp()
  @Limited('factorPerUser')
  @Operation(
    'removePasskey',
    'Removes a passkey, tells the owner, and ends the other sessions that a passkey began or raised.',
  )
  @Answers(204)
  @Problems([NotFound, LastLoginMethod, LastSecondFactor])
  async remove(@CurrentUser() user: CallerUser, @IdParam('id') id: string, @By() by: Actor) {
    await this.passkeys.remove(user, id, by);
  }
}

/** What a client sees of a passkey; never its key. */
function passkeyView(passkey: Passkey): Described<typeof PasskeySchema> {
  return {
    id: passkey.id,
    name: passkey.name,
    credential_id: passkey.credentialId.toString('base64url'),
    backed_up: passkey.backedUp,
    created_at: passkey.createdAt,
    last_used_at: passkey.lastUsedAt,
  };
}
