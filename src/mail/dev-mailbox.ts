import { Injectable } from '@nestjs/common';
import type { OutgoingMail } from './mailer.js';

const CAPACITY = 100;

/** A mail, and when the stub took it. */
export type KeptMail = OutgoingMail & { keptAt: Date };

/** The last mails that this process would have sent. They hold live links, and are gone when it ends. */
@Injectable()
export class DevMailbox {
  private mails: KeptMail[] = [];

  keep(mail: OutgoingMail): void {
    this.mails = [{ ...mail, keptAt: new Date() }, ...this.mails].slice(0, CAPACITY);
  }

  newestFirst(): readonly KeptMail[] {
    return this.mails;
  }
}
