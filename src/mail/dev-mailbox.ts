import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import type { OutgoingMail } from './mailer.js';

const CAPACITY = 100;

/** A mail as the stub took it, under an id of the mailbox. */
export type KeptMail = OutgoingMail & { keptAt: Date };

/** The last mails that this process would have sent. They hold live links, and are gone when it ends. */
@Injectable()
export class DevMailbox {
  private mails: KeptMail[] = [];

  keep(mail: OutgoingMail): void {
    this.mails = [{ ...mail, id: uuidv7(), keptAt: new Date() }, ...this.mails].slice(0, CAPACITY);
  }

  newestFirst(): readonly KeptMail[] {
    return this.mails;
  }
}
