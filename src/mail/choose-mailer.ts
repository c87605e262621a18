import type { EmailProvider, Environment } from '../config/environment.js';
import type { DevMailbox } from './dev-mailbox.js';
import { FallbackMailer } from './fallback.mailer.js';
import type { Mailer } from './mailer.js';
import { StubMailer } from './stub.mailer.js';

/** The Mailer that the settings ask for. */
export async function chooseMailer(environment: Environment, devMailbox: DevMailbox): Promise<Mailer> {
  const [first, second] = await mailersOf(environment, devMailbox);
  return second ? new FallbackMailer(first, second) : first;
}

/** The Mailer of each provider that the settings name; the fallback's comes second. */
export async function mailersOf(
  environment: Environment,
  devMailbox: DevMailbox,
): Promise<[Mailer] | [Mailer, Mailer]> {
  const { emailProvider, emailFallbackProvider } = environment;
  const first = await mailerOf(emailProvider, environment, devMailbox);
  if (emailFallbackProvider === undefined) return [first];
  return [first, await mailerOf(emailFallbackProvider, environment, devMailbox)];
}

/** Loads no client but the chosen one: a provider's own takes a quarter of a second and 20 MB. */
async function mailerOf(
  provider: EmailProvider,
  environment: Environment,
  devMailbox: DevMailbox,
): Promise<Mailer> {
  switch (provider) {
    case 'mailapi':
      return new (await import('./mailapi.mailer.js')).MailapiMailer(environment);
    case 'cloudmail':
      return new (await import('./cloudmail.mailer.js')).CloudmailMailer(environment);
    case 'smtp':
      return new (await import('./smtp.mailer.js')).SmtpMailer(environment);
    case 'stub':
      return new StubMailer(environment, devMailbox);
  }
}
