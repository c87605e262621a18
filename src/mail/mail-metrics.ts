import { Injectable } from '@nestjs/common';
import { oneAtATime } from '../observability/limited-reading.js';
import { Metrics } from '../observability/metrics.js';
import { MAIL_STATES, MailLedgerRepository } from './mail-ledger.repository.js';

/** The outbox by the state of its mails. While a mail waits, a person waits for it. */
@Injectable()
export class MailMetrics {
  constructor(metrics: Metrics, mails: MailLedgerRepository) {
    // Both gauges are read at the same moment, and share the one statement.
    const countByState = oneAtATime(() => mails.countByState());

    metrics.sharedGauge('outbox_mails', 'Mails in the outbox, by state.', ['state'], async (gauge) => {
      const found = await countByState();
      for (const state of MAIL_STATES) gauge.set({ state }, 0);
      for (const { state, count } of found) gauge.set({ state }, count);
    });
    metrics.sharedGauge(
      'outbox_oldest_mail_age_seconds',
      'Seconds since the oldest mail in the outbox was posted, by state.',
      ['state'],
      async (gauge) => {
        for (const { state, oldestSeconds } of await countByState())
          gauge.set({ state }, Math.max(0, oldestSeconds));
      },
    );
  }
}
