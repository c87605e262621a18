import { uuidv7 } from 'uuidv7';
import { readEnvironment } from '../config/read-environment.js';
import { THE_SERVICE } from '../http/caller.js';
import { mailersOf } from '../mail/choose-mailer.js';
import { DevMailbox } from '../mail/dev-mailbox.js';
import { MailAdminService } from '../mail/mail-admin.service.js';
import { MailComposer } from '../mail/mail-composer.js';
import { MAIL_STATES, type MailSummary } from '../mail/mail-ledger.repository.js';
import { type Mailer, MailRefused, type OutgoingMail, ProviderUnavailable } from '../mail/mailer.js';
import type { Product } from '../start/product.js';
import { canonicalAddress } from '../validation/address.js';
import { isAddress } from '../validation/rules.js';
import { ANYBODY } from '../words/languages.js';
import { countsInWords, limitOf, printFields, stateNamed, withRow } from './ledger-words.js';
import { withService } from './with-service.js';

/** `mail list`: a line each, newest first. */
export async function listMails(
  product: Product,
  options: { state?: string; to?: string; limit: string },
): Promise<void> {
  const state = stateNamed(options.state, MAIL_STATES);
  const to = options.to === undefined ? undefined : (canonicalAddress(options.to) ?? options.to);
  const limit = limitOf(options.limit);

  await withMails(product, async (mails) => {
    const { data } = await mails.list({ state, to, limit });
    for (const mail of data) console.log(line(mail));
    console.error(countsInWords(await mails.countByState()) || 'The outbox is empty.');
  });
}

/** `mail show`: one mail, without its content, whose links open accounts. */
export async function showMail(product: Product, id: string): Promise<void> {
  await withMails(product, async (mails) => printFields(await withRow('mail', id, () => mails.get(id))));
}

/** `mail retry`: puts a dead letter, or all of them, back among the mails that wait. */
export async function retryMails(product: Product, id: string | undefined, { all = false }): Promise<void> {
  if ((id === undefined) === !all) throw new Error('Say which mail, or --all.');

  await withMails(product, async (mails) => {
    const retried = id === undefined ? await mails.retryDead(THE_SERVICE) : 1;
    if (id !== undefined) await withRow('mail', id, () => mails.retry(id, THE_SERVICE));
    console.log(`Put back into the outbox: ${retried}. The service sends them.`);
  });
}

/**
 * `mail test`: hands a mail to each provider, past the outbox, and prints what each answered. Exits with 1 when one did
 * not take it.
 */
export async function testMail(product: Product, address: string): Promise<void> {
  const to = canonicalAddress(address);
  if (!isAddress(address) || to === null) throw new Error(`${address} is not an email address.`);
  const environment = await readEnvironment();
  const composer = await MailComposer.read(environment, product.messages);
  const mail = { ...composer.for(ANYBODY).test(to), id: uuidv7() };

  for (const mailer of await mailersOf(environment, new DevMailbox())) await tryOut(mailer, mail);
}

async function tryOut(mailer: Mailer, mail: OutgoingMail): Promise<void> {
  try {
    await mailer.send(mail);
    const next =
      mailer.provider === 'stub' ? 'It sends nothing.' : 'Look for it in the mailbox, and among its spam.';
    console.log(`${mailer.provider} took the mail over. ${next}`);
  } catch (error) {
    console.log(whatFailed(error));
    process.exitCode = 1;
  }
}

/** What an attempt failed with, and what the service would do. */
function whatFailed(error: unknown): string {
  if (error instanceof MailRefused) return `${error.message}. The service would give this mail up.`;
  if (!(error instanceof ProviderUnavailable)) throw error;
  return error.details.isRefused
    ? `${error.message}. The service would keep all mails until an operator repairs the configuration.`
    : `${error.message}. The service would try again.`;
}

function withMails(product: Product, work: (mails: MailAdminService) => Promise<void>): Promise<void> {
  return withService(product, (service) => work(service.get(MailAdminService)));
}

function line({ id, createdAt, state, kind, to, attempts, lastError }: MailSummary): string {
  const words = [id, createdAt.toISOString(), state, kind, to, `${attempts} attempts`];
  return [...words, ...(lastError === null ? [] : [lastError])].join('  ');
}
