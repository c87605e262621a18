import { jest } from '@jest/globals';
import type { TestDatabase } from './test-database.js';
import { tokenIn } from './token-in.js';
import { until } from './until.js';

export interface ReceivedMail {
  to: string;
  subject: string;
  text: string;
}

const MAIL = /^─+\nTo: (?<to>[^\n]*)\nSubject: (?<subject>[^\n]*)\n\n(?<text>.*)\n─+$/s;

const received: ReceivedMail[] = [];

/**
 * Reads the mails that the stub writes to the console, as a developer does. The services of a file share one console.
 */
export class Mailbox {
  constructor(private readonly database: TestDatabase) {
    jest.spyOn(console, 'log').mockImplementation((line: unknown) => {
      const mail = MAIL.exec(String(line))?.groups;
      if (mail) received.push(mail as unknown as ReceivedMail);
    });
  }

  /** The mails to an address, once all that was asked for has been sent. */
  async to(address: string): Promise<ReceivedMail[]> {
    await until(async () => !(await this.database.value(UNSENT)));
    return received.filter((mail) => mail.to === address);
  }

  /** The newest mail to an address. */
  async last(address: string): Promise<ReceivedMail> {
    const mail = (await this.to(address)).at(-1);
    if (!mail) throw new Error(`There is no mail to ${address}`);
    return mail;
  }

  /** The token in the link of the newest mail to an address. */
  async token(address: string): Promise<string> {
    const token = tokenIn((await this.last(address)).text);
    if (token === '') throw new Error(`There is no token in the mail to ${address}`);
    return token;
  }
}

const UNSENT = `
  SELECT EXISTS (SELECT FROM link_requests) OR EXISTS (SELECT FROM outbox_mails WHERE finished_at IS NULL)`;
