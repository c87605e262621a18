import type { Environment } from '../../config/environment.js';
import type { Finding } from '../../config/preflight/finding.js';
import type { BoundedAnswer } from '../../outbound/bounded-request.js';

/** The findings on the way to the service, as the answer of /health/ready shows it. */
export function examineTransport(
  { status, headers }: BoundedAnswer,
  address: string,
  { baseApiUrl }: Environment,
): Finding[] {
  const checks = [
    {
      isWrong: status !== 200,
      code: 'NOT_READY',
      text: `/health/ready answers ${status}.`,
      fix: 'Look at `down` in its answer, and at the log.',
    },
    {
      isWrong: !address.startsWith('https:'),
      code: 'HTTPS_MISSING',
      text: 'The service is reached over http.',
      fix: 'Give its https:// address, and let a proxy in front end TLS.',
    },
    {
      isWrong: !headers.has('strict-transport-security'),
      code: 'HSTS_MISSING',
      text: 'No answer tells browsers to stay with HTTPS.',
      fix: 'Set SVC_ENVIRONMENT to beta or prod, and let the proxy pass Strict-Transport-Security on.',
    },
    {
      isWrong: address !== baseApiUrl,
      code: 'API_ADDRESS_DIFFERS',
      text: 'SVC_BASE_API_URL is another address than the one examined.',
      fix: 'Examine with the configuration of that deployment.',
    },
  ];
  return checks
    .filter(({ isWrong }) => isWrong)
    .map(({ code, text, fix }) => ({ code, severity: 'error', text, fix }));
}
