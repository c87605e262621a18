import { retryAfterSeconds } from '../http/retry-after.js';
import { MailRefused, ProviderUnavailable } from './mailer.js';

/** The mail: no attempt will help. The configuration: an operator has to repair it. The provider: it will come back. */
export type Culprit = 'mail' | 'configuration' | 'provider';

/** What a provider answered instead of taking a mail over. */
interface Refusal {
  status: number;
  culprit: Culprit;
  /** Why, as far as the provider says so in codes. */
  codes: unknown[];
  retryAfter: string | null | undefined;
}

/**
 * The answer of a provider. Rejects with ProviderUnavailable when there is none in time, even if the client goes on
 * waiting, as Azure's does for the rest of a compressed answer, its request aborted or not.
 */
export async function answerOf<T>(
  provider: string,
  timeoutSeconds: number,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(timeoutSeconds * 1000);
  try {
    return await Promise.race([ask(signal), rejectionAt(signal)]);
  } catch (error) {
    if (error instanceof MailRefused || error instanceof ProviderUnavailable) throw error;
    const code = codeOf(error);
    const isLate = signal.aborted || code === 'ETIMEDOUT';
    const reason = isLate ? `within ${timeoutSeconds} s` : `at all: ${code}`;
    throw new ProviderUnavailable(`${provider} did not answer ${reason}`);
  }
}

function rejectionAt(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

/** Whose fault it is, as far as the status tells. A sender unknown to the provider is a 403 or a 404. */
export function culpritOf(status: number): Culprit {
  if ([400, 413, 422].includes(status)) return 'mail';
  if ([401, 403, 404].includes(status)) return 'configuration';
  return 'provider';
}

/** The error that reports a refusal. What the provider says in words stays out: it may quote the mail. */
export function refusal(provider: string, { status, culprit, codes, retryAfter }: Refusal): Error {
  const known = codes.filter((code) => typeof code === 'string' && /^[A-Za-z][\w.-]{0,47}$/.test(code));
  const message = [`${provider} answered ${status}`, ...new Set(known)].join(', ');
  if (culprit === 'mail') return new MailRefused(message);

  return new ProviderUnavailable(message, {
    isRefused: culprit === 'configuration',
    retryAfterSeconds: retryAfterSeconds(retryAfter),
  });
}

/**
 * The message of a client's error may quote the request, or the answer; its code does not. Where nodemailer has a code
 * of its own, it keeps that of the system as the original one.
 */
function codeOf(error: unknown): string {
  const { originalCode, code, name } = error as { originalCode?: unknown; code?: unknown; name?: string };
  return String(originalCode ?? code ?? name);
}
