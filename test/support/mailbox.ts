import { jest } from '@jest/globals';

export interface ReceivedMail {
  to: string;
  subject: string;
  text: string;
}

const MAIL = /^─+\nTo: (?<to>[^\n]*)\nSubject: (?<subject>[^\n]*)\n\n(?<text>.*)\n─+$/s;

const received: ReceivedMail[] = [];

/** Reads the mails that the stub writes to the console, as a developer does. The services of a file share one console. */
export class Mailbox {
  constructor() {
    jest.spyOn(console, 'log').mockImplementation((line: unknown) => {
      const mail = MAIL.exec(String(line))?.groups;
      if (mail) received.push(mail as unknown as ReceivedMail);
    });
  }

  to(address: string): ReceivedMail[] {
    return received.filter((mail) => mail.to === address);
  }

  /** The newest mail to an address. */
  last(address: string): ReceivedMail {
    const mail = this.to(address).at(-1);
    if (!mail) throw new Error(`There is no mail to ${address}`);
    return mail;
  }

  /** The token in the link of the newest mail to an address. */
  token(address: string): string {
    const link = /https?:\/\/\S+/.exec(this.last(address).text)?.[0] ?? '';
    const token = new URL(link).searchParams.get('token');
    if (!token) throw new Error(`There is no token in the mail to ${address}`);
    return token;
  }
}
