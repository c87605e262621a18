import { jest } from '@jest/globals';
import type { TestDatabase } from './test-database.js';
import { until } from './until.js';

export interface ReceivedMail {
  to: string;
  subject: string;
  text: string;
}

/** Variables of a service whose mail waits, because no server listens there. */
export const WAITING_MAIL = {
  SVC_EMAIL_PROVIDER: 'smtp',
  SVC_SMTP_HOST: '127.0.0.1',
  SVC_SMTP_PORT: '1',
  SVC_SMTP_TLS: 'off',
  SVC_SMTP_SENDER_ADDRESS: 'no-reply@example.com',
};

const MAIL = /^─+\nTo: (?<to>[^\n]*)\nSubject: (?<subject>[^\n]*)\n\n(?<text>.*)\n─+$/s;

const received: ReceivedMail[] = [];

const log = console.log.bind(console);

/**
 * Reads the mails that the stub writes to the console, as a developer does. The services of a file share one console,
 * which still shows every other line.
 */
export class Mailbox {
  constructor(private readonly database: TestDatabase) {
    jest.spyOn(console, 'log').mockImplementation((line: unknown, ...more: unknown[]) => {
      const mail = MAIL.exec(String(line))?.groups;
      if (mail) received.push(mail as unknown as ReceivedMail);
      else log(line, ...more);
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

  /** The code in the newest mail to an address. */
  async code(address: string): Promise<string> {
    const code = codeIn((await this.last(address)).text);
    if (code === '') throw new Error(`There is no code in the mail to ${address}`);
    return code;
  }
}

const UNSENT = `
  SELECT EXISTS (SELECT FROM link_requests)
      OR EXISTS (SELECT FROM outbox_mails WHERE finished_at IS NULL AND created_at <= now())`;

/**
 * Changes the mails of a service. Its workers, who change several of them in one statement too, wait meanwhile: otherwise
 * each could hold a mail that the other wants.
 */
export async function changeMails(database: TestDatabase, sql: string): Promise<void> {
  await database.rows(`LOCK TABLE link_requests, mail_outages, outbox_mails IN EXCLUSIVE MODE; ${sql}`);
}

/** Forgets every mail, those asked for included. */
export function forgetMails(database: TestDatabase): Promise<void> {
  return changeMails(
    database,
    'DELETE FROM link_requests; DELETE FROM mail_outages; DELETE FROM outbox_mails',
  );
}

/** Lets time pass for the mails of a service, and waits until its worker has sent what may then be sent. */
export async function mailTimePasses(database: TestDatabase, seconds: number): Promise<void> {
  const by = `interval '${seconds} seconds'`;
  await changeMails(
    database,
    `UPDATE mail_outages SET paused_until = paused_until - ${by};
     UPDATE outbox_mails SET due_at = due_at - ${by}, created_at = created_at - ${by}, leased_until = leased_until - ${by}
      WHERE finished_at IS NULL`,
  );
  await database.rows(`NOTIFY outbox`);
  await workersRest(database);
}

/** Resolves once no mail is under way, and none may be tried at present. */
export function workersRest(database: TestDatabase, patienceMs?: number): Promise<void> {
  return until(async () => !(await database.value(BUSY)), patienceMs);
}

const BUSY = `
  SELECT EXISTS (SELECT FROM link_requests) OR EXISTS (
    SELECT FROM outbox_mails
     WHERE finished_at IS NULL AND (leased_until > now() OR due_at <= now())
       AND (leased_until > now() OR NOT EXISTS (SELECT FROM mail_outages WHERE paused_until > now())))`;

/** The token of the first link in a mail, or in what a command prints; empty when there is none. */
export function tokenIn(text: string): string {
  return /\btoken=([\w-]+)/.exec(text)?.[1] ?? '';
}

/** The code on a line of its own in a mail; empty when there is none. */
export function codeIn(text: string): string {
  return /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/m.exec(text)?.[0] ?? '';
}

/** The link in a mail, as its reader clicks it. */
export function linkIn({ text }: { text: string }): string {
  const [link] = /https?:\/\/\S+/.exec(text) ?? [];
  if (link === undefined) throw new Error(`There is no link in: ${text}`);
  return link;
}
