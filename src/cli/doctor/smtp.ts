import type { NodemailerError } from 'nodemailer';
import type { Environment } from '../../config/environment.js';
import type { Finding } from '../../config/preflight/finding.js';
import { answerOf } from '../../mail/provider-answer.js';
import { isCertificateFault, smtpReason } from '../../mail/smtp-answer.js';

/** Connects to the SMTP server and logs in. Whether it lets the sender send only a mail shows: `mail test`. */
export async function examineSmtp(environment: Environment): Promise<Finding | null> {
  const { emailProvider, emailFallbackProvider } = environment;
  if (emailProvider !== 'smtp' && emailFallbackProvider !== 'smtp') return null;
  const failure = await failureAt(environment);
  return failure && findingOf(failure);
}

/** Returns null when the server lets the service in. */
async function failureAt(environment: Environment): Promise<NodemailerError | null> {
  const { smtpTransport } = await import('../../mail/smtp.mailer.js');
  const transport = smtpTransport(environment);
  const verify = () =>
    transport.verify().then(
      () => null,
      (error: NodemailerError) => error,
    );
  return answerOf('smtp', environment.emailTimeoutSeconds, verify).catch(() => ({
    name: 'Timeout',
    message: '',
    code: 'ETIMEDOUT',
  }));
}

function findingOf(failure: NodemailerError): Finding {
  const { code = '', responseCode = 500 } = failure;
  const reason = smtpReason(failure);
  if (isCertificateFault(failure))
    return {
      code: 'SMTP_CERTIFICATE',
      severity: 'error',
      text: `The server in SVC_SMTP_HOST has no certificate that this machine trusts for that name: ${reason}.`,
      fix: 'Write the name that its certificate has, and name the file of a private authority in NODE_EXTRA_CA_CERTS.',
    };
  if (responseCode >= 500 && code === 'ETLS')
    return {
      code: 'SMTP_NO_STARTTLS',
      severity: 'error',
      text: `The server in SVC_SMTP_HOST does not begin TLS: ${reason}.`,
      fix: 'Use its port for submission, mostly 587, or SVC_SMTP_TLS=implicit on 465: no mail goes out without TLS.',
    };
  if (responseCode >= 500 && code === 'EAUTH')
    return {
      code: 'SMTP_LOGIN_REFUSED',
      severity: 'error',
      text: `The server in SVC_SMTP_HOST does not take SVC_SMTP_USER with SVC_SMTP_PASSWORD: ${reason}.`,
      fix: 'Many providers ask for a password of its own for SMTP, and for SMTP to be allowed for the mailbox.',
    };
  return {
    code: 'SMTP_UNREACHABLE',
    severity: 'warning',
    text: `The server in SVC_SMTP_HOST did not let the service in: ${reason}.`,
    fix: 'See that this machine may reach its port, which many networks close for 25, or ask again later.',
  };
}
