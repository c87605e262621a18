import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { Seal } from '../secrets/seal.js';
import type { Mail } from './mailer.js';

type Content = Pick<Mail, 'text' | 'html'>;

/** Hides the links of mails that wait from whoever reads the database: a live one opens an account. */
@Injectable()
export class MailSeal {
  private readonly seal: Seal;

  constructor({ jwtSecretKey }: Environment) {
    this.seal = new Seal(jwtSecretKey, 'mail');
  }

  close({ text, html }: Content): Buffer {
    return this.seal.close(JSON.stringify({ text, html }));
  }

  /** Throws when it was sealed with a secret that `SVC_JWT_SECRET_KEY` no longer holds. */
  open(content: Buffer): Content {
    return JSON.parse(this.seal.open(content));
  }
}
