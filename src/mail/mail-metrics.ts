import { Injectable } from '@nestjs/common';
import { Metrics } from '../observability/metrics.js';
import { MAIL_STATES, MailLedgerRepository } from './mail-ledger.repository.js';

/** The outbox by the state of its mails: a waiting one that grows old is one somebody waits for. */
@Injectable()
export class MailMetrics {
  constructor(metrics: Metrics, mails: MailLedgerRepository) {
    const count = metrics.sharedGauge('outbox_mails', 'Mails in the outbox, by state.', ['state']);
    const age = metrics.sharedGauge(
      'outbox_oldest_mail_age_seconds',
      'Seconds since the oldest mail in the outbox was posted, by state.',
      ['state'],
    );

    metrics.readAtScrape([count, age], async () => {
      for (const state of MAIL_STATES) count.set({ state }, 0);
      for (const found of await mails.countByState()) {
        count.set({ state: found.state }, found.count);
        age.set({ state: found.state }, found.oldestSeconds);
      }
    });
  }
}
