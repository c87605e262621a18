import { setTimeout } from 'node:timers/promises';
import { jest } from '@jest/globals';
import type { TestDatabase } from './test-database.js';

const POLL_MS = 5;
const PATIENCE_MS = 10_000;

export interface ReceivedMail {
  to: string;
  subject: string;
  text: string;
}

const MAIL = /^─+\nTo: (?<to>[^\n]*)\nSubject: (?<subject>[^\n]*)\n\n(?<text>.*)\n─+$/s;

const received: ReceivedMail[] = [];

/** Reads the mails that the stub writes to the console, as a developer does. The services of a file share one console. */
export class Mailbox {
  constructor(private readonly database: TestDatabase) {
    jest.spyOn(console, 'log').mockImplementation((line: unknown) => {
      const mail = MAIL.exec(String(line))?.groups;
      if (mail) received.push(mail as unknown as ReceivedMail);
    });
  }

  /** The mails to an address, once all that was asked for has been sent. */
  async to(address: string): Promise<ReceivedMail[]> {
    await this.settled();
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
    const link = /https?:\/\/\S+/.exec((await this.last(address)).text)?.[0] ?? '';
    const token = new URL(link).searchParams.get('token');
    if (!token) throw new Error(`There is no token in the mail to ${address}`);
    return token;
  }

  /** Waits until the service has nothing left to send. */
  private async settled(): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (await this.database.value(UNSENT)) {
      if (performance.now() > deadline) throw new Error('The mail was not sent in time');
      await setTimeout(POLL_MS);
    }
  }
}

const UNSENT = `
  SELECT EXISTS (SELECT FROM link_requests) OR EXISTS (SELECT FROM outbox_mails WHERE finished_at IS NULL)`;
