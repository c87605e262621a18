import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Environment } from '../config/environment.js';
import { CronTasks } from '../cron/cron-tasks.js';
import { Background } from '../queues/background.js';
import { AccountMails } from './account-mails.js';
import { chooseMailer } from './choose-mailer.js';
import { DevMailboxController } from './dev-mailbox.controller.js';
import { DevMailbox } from './dev-mailbox.js';
import { DevPreviewController } from './dev-preview.controller.js';
import { Links } from './links.js';
import { MailAdminService } from './mail-admin.service.js';
import { MailComposer, OWN_FRAME } from './mail-composer.js';
import { MailHealth } from './mail-health.js';
import { MailLedgerRepository } from './mail-ledger.repository.js';
import { MailMetrics } from './mail-metrics.js';
import { MailOutage } from './mail-outage.entity.js';
import { MailPreviewsController } from './mail-previews.controller.js';
import { MailPreviewsService } from './mail-previews.service.js';
import { Mailer } from './mailer.js';
import { MailsController } from './mails.controller.js';
import { OutboxRepository } from './outbox.repository.js';
import { OutboxWorker } from './outbox.worker.js';
import { OutboxMail } from './outbox-mail.entity.js';
import { OwnFrame } from './own-frame.js';

/** Binds the Mailer to the provider that `SVC_EMAIL_PROVIDER` names. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([OutboxMail, MailOutage])],
  controllers: [DevPreviewController, DevMailboxController, MailsController, MailPreviewsController],
  providers: [
    { provide: Mailer, inject: [Environment, DevMailbox], useFactory: chooseMailer },
    DevMailbox,
    { provide: OWN_FRAME, inject: [Environment], useFactory: OwnFrame.read },
    MailComposer,
    Links,
    AccountMails,
    OutboxRepository,
    OutboxWorker,
    MailLedgerRepository,
    MailAdminService,
    MailPreviewsService,
    MailMetrics,
    MailHealth,
  ],
  exports: [MailComposer, Links, AccountMails, OutboxRepository, MailAdminService],
})
export class MailModule implements OnModuleInit {
  constructor(
    private readonly background: Background,
    private readonly worker: OutboxWorker,
    private readonly cron: CronTasks,
    private readonly environment: Environment,
  ) {}

  onModuleInit(): void {
    this.background.add(this.worker);
    this.cron.prune({
      table: 'outbox_mails',
      overAt: 'finished_at',
      keptDays: this.environment.cronMailRetentionDays,
    });
  }
}
