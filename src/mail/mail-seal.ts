import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { Encryption } from '../secrets/encryption.js';
import type { Mail } from './mailer.js';

type Content = Pick<Mail, 'text' | 'html'>;

/** Hides the links of mails that wait from whoever reads the database: a live one opens an account. */
@Injectable()
export class MailSeal {
  private readonly encryption: Encryption;

  constructor({ jwtSecretKey }: Environment) {
    this.encryption = new Encryption(jwtSecretKey, 'mail');
  }

  close({ text, html }: Content): Buffer {
    return this.encryption.encrypt(JSON.stringify({ text, html }));
  }

  /** Throws when it was sealed with a secret that `SVC_JWT_SECRET_KEY` no longer holds. */
  open(content: Buffer): Content {
    return JSON.parse(this.encryption.decrypt(content));
  }
}
