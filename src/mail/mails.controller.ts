import { Controller, Get, Post, Query } from '@nestjs/common';
import { IsIn, IsOptional } from 'class-validator';
import { type Actor, By } from '../http/caller.js';
import { Compressed } from '../http/compression.js';
import { NotDead, NotFound } from '../http/errors.js';
import { IdParam } from '../http/id-param.js';
import { PageQuery, pageFields } from '../http/page.js';
import { Role } from '../http/role.js';
import { Answers, Limited, MinRole, Operation, Personal, Problems } from '../http/route.js';
import { IsAddress, IsSearch } from '../validation/rules.js';
import { count } from '../validation/schema.js';
import { MailSchema, mailView, OUTBOX_FIELDS, outboxView } from './mail.view.js';
import { MailAdminService } from './mail-admin.service.js';
import { MAIL_STATES, type MailState } from './mail-ledger.repository.js';

class ListMails extends PageQuery {
  @IsOptional()
  @IsIn(MAIL_STATES)
  readonly state?: MailState;

  @IsOptional()
  @IsAddress()
  readonly to?: string;

  /** A part of the address, or how the id begins. */
  @IsOptional()
  @IsSearch()
  readonly search?: string;
}

@Personal()
@Controller('mails')
@MinRole(Role.SYSTEM_ADMIN)
export class MailsController {
  constructor(private readonly mails: MailAdminService) {}

  @Get()
  @Compressed()
  @Operation('listMails', 'The mails that wait, and what became of the others, newest first.')
  @Answers(200, pageFields(MailSchema))
  async list(@Query() query: ListMails) {
    const { data, nextCursor } = await this.mails.list(query);
    return { data: data.map(mailView), next_cursor: nextCursor };
  }

  @Get('states')
  @Operation(
    'getMailStates',
    'How many mails are in each state: up to 10,000, which means that many or more; and which providers send them.',
  )
  @Answers(200, OUTBOX_FIELDS)
  async getStates() {
    return outboxView(await this.mails.glance());
  }

  @Post('retry-dead')
  @Limited('changePerUser')
  @Operation('retryDeadMails', 'Puts all dead letters back among the mails that wait.')
  @Answers(200, { revived: count })
  async retryDead(@By() by: Actor) {
    return { revived: await this.mails.retryDead(by) };
  }

  @Post(':id/retry')
  @Limited('changePerUser')
  @Operation('retryMail', 'Puts a dead letter back among the mails that wait.')
  @Answers(200, { mail: MailSchema })
  @Problems([NotFound, NotDead])
  async retry(@IdParam('id') id: string, @By() by: Actor) {
    return { mail: mailView(await this.mails.retry(id, by)) };
  }
}
