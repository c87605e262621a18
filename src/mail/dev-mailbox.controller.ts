import { Controller, Get, Header } from '@nestjs/common';
import { OpenWhen } from '../access/app-mode.guard.js';
import { Undocumented } from '../docs/answers.js';
import { Public } from '../sessions/session.guard.js';
import { DevMailbox } from './dev-mailbox.js';
import { mailboxPage, PAGE_POLICY } from './dev-mailbox.page.js';

/** Only a developer's own machine has mails to show that reached nobody. */
const InDevWithStub = () =>
  OpenWhen(({ environment, emailProvider }) => environment === 'dev' && emailProvider === 'stub');

@Controller('dev/mail')
@Public()
@Undocumented()
export class DevMailboxController {
  constructor(private readonly mailbox: DevMailbox) {}

  @Get()
  @InDevWithStub()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', PAGE_POLICY)
  show() {
    return mailboxPage(this.mailbox.newestFirst());
  }
}
