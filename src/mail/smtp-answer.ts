import type { NodemailerError } from 'nodemailer';
import { MailRefused, ProviderUnavailable } from './mailer.js';
import type { Culprit } from './provider-answer.js';

/** Replies that ask for a login or for TLS, wherever they come (RFC 4954 §6, RFC 3207 §4). */
const NOT_ADMITTED = [530, 535, 538];

/** How Node names a certificate that it does not trust, and a server that speaks no TLS it could agree to. */
const CERTIFICATE_CODES = /^(CERT_|UNABLE_TO_|ERR_TLS_CERT_|ERR_SSL_|EPROTO$)|SELF_SIGNED/;

/** What is wrong with a recipient or a mail, by the enhanced status without its class (RFC 3463 §3, RFC 7505 §4.2). */
const MEANINGS: Record<string, string> = {
  '1.1': 'no such mailbox',
  '1.2': 'no such domain',
  '1.10': 'a domain that takes no mail',
  '2.1': 'a mailbox that is disabled',
  '2.2': 'a mailbox that is full',
  '3.4': 'a mail that is too large',
};

/**
 * The error that reports why the server did not take a mail over; without an answer of the server it is the client's
 * own. What the server says in words stays out: it quotes the recipient.
 */
export function smtpFailure(error: NodemailerError): Error {
  const culprit = culpritIn(error);
  const message = `smtp ${smtpReason(error)}`;
  if (culprit === 'mail') return new MailRefused(message);
  if (culprit === 'provider' && error.responseCode === undefined) return error;
  return new ProviderUnavailable(message, { isRefused: culprit === 'configuration' });
}

/**
 * Why, in codes: the reply's, its enhanced status and the command, or the client's when there is no reply. In words too
 * where an admin can do something about the recipient: they need not know the codes.
 */
export function smtpReason({
  responseCode,
  response,
  command,
  code,
  originalCode,
  name,
}: NodemailerError): string {
  if (responseCode === undefined) return `failed: ${originalCode ?? code ?? name}`;
  const status = enhancedStatus(response);
  const meaning = MEANINGS[status.slice(2)];
  const asked = command === 'CONN' ? 'the connection' : command;
  return `answered ${responseCode}${status && ` ${status}`} to ${asked}${meaning ? ` (${meaning})` : ''}`;
}

/** Whether the server has no certificate that Node trusts, or no TLS. */
export function isCertificateFault({ originalCode }: NodemailerError): boolean {
  return originalCode !== undefined && CERTIFICATE_CODES.test(originalCode);
}

/**
 * Where it is not certain, what a wrong guess costs decides: a mail that is blamed becomes a dead letter with its
 * content, which an operator can send again; a configuration that is blamed holds up the mail of all users.
 */
function culpritIn(error: NodemailerError): Culprit {
  const { code = '', responseCode, response, command = '' } = error;
  if (responseCode === undefined) {
    if (isCertificateFault(error) || ['ETLS', 'EAUTH'].includes(code)) return 'configuration';
    return ['EENVELOPE', 'EMESSAGE'].includes(code) ? 'mail' : 'provider';
  }
  if (responseCode < 500) return 'provider';
  if (NOT_ADMITTED.includes(responseCode)) return 'configuration';
  if (command === 'RCPT TO') return isRelayingDenied(response) ? 'configuration' : 'mail';
  return command === 'DATA' ? 'mail' : 'configuration';
}

function isRelayingDenied(response: string | undefined): boolean {
  return enhancedStatus(response).endsWith('.7.1');
}

function enhancedStatus(response = ''): string {
  return /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] ?? '';
}
