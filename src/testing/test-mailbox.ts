import { setTimeout as sleep } from 'node:timers/promises';
import { mailsTo, type TestMail, tokenOf } from '../client/testing.js';
import type { TestDatabase } from './test-database.repository.js';

const PATIENCE_MS = 10_000;
const PAUSE_MS = 20;

/** The mails that the service would have sent. */
export class TestMailbox {
  constructor(
    private readonly url: string,
    private readonly database: Pick<TestDatabase, 'hasSentAll'>,
  ) {}

  /** The mails to an address, the newest first, once all that was asked for has left the outbox. */
  async to(address: string): Promise<TestMail[]> {
    const end = Date.now() + PATIENCE_MS;
    while (!(await this.database.hasSentAll())) {
      if (Date.now() > end) throw new Error('The mails did not leave the outbox within ten seconds.');
      await sleep(PAUSE_MS);
    }
    return mailsTo(this.url, address);
  }

  /** The newest mail to an address. */
  async last(address: string): Promise<TestMail> {
    const [mail] = await this.to(address);
    if (!mail) throw new Error(`There is no mail to ${address}.`);
    return mail;
  }

  /** The token in the link of the newest mail to an address. */
  async token(address: string): Promise<string> {
    return tokenOf(await this.last(address));
  }
}
