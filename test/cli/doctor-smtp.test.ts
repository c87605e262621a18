import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { examineSmtp } from '../../src/cli/doctor/smtp.js';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { type SmtpAnswer, SmtpStandIn } from '../support/smtp-stand-in.js';

let server: SmtpStandIn;
afterEach(async () => {
  jest.restoreAllMocks();
  await server.close();
});

/** What the doctor finds with these variables besides those of the server. */
function finding(variables: Record<string, string> = {}) {
  const limited = { SVC_ENVIRONMENT: 'dev', SVC_EMAIL_TIMEOUT_SECONDS: '1' };
  return examineSmtp(parseEnvironment({ ...limited, ...server.variables, ...variables }));
}

describe('the doctor at an SMTP server', () => {
  it('finds nothing when the server lets the service in, and sends no mail', async () => {
    server = await SmtpStandIn.start({ tls: 'starttls' });
    server.beTrusted();

    expect(await finding()).toBeNull();
    expect(server.requests).toBe(1);
    expect(server.delivered).toEqual([]);
  });

  it('does not ask one that the service does not send through, and asks that of the fallback', async () => {
    server = await SmtpStandIn.start({ auth: false });
    expect(await finding({ SVC_EMAIL_PROVIDER: 'stub' })).toBeNull();
    expect(server.requests).toBe(0);

    const fallback = { SVC_EMAIL_PROVIDER: 'stub', SVC_EMAIL_FALLBACK_PROVIDER: 'smtp' };
    expect(await finding(fallback)).toMatchObject({ code: 'SMTP_LOGIN_REFUSED' });
  });

  it.each([
    ['SMTP_LOGIN_REFUSED', 'off', { SVC_SMTP_PASSWORD: 'another' }, 'answered 535 5.7.8 to AUTH PLAIN'],
    ['SMTP_NO_STARTTLS', 'off', { SVC_SMTP_TLS: 'starttls' }, 'answered 500 to STARTTLS'],
    ['SMTP_CERTIFICATE', 'starttls', {}, 'failed: DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['SMTP_CERTIFICATE', 'implicit', {}, 'failed: DEPTH_ZERO_SELF_SIGNED_CERT'],
  ] as const)('finds %s where TLS is %s with %o', async (code, tls, variables, reason) => {
    server = await SmtpStandIn.start({ tls });

    const text = expect.stringContaining(reason);
    expect(await finding(variables)).toMatchObject({ code, severity: 'error', text });
  });

  it.each<[SmtpAnswer, string]>([
    [{ to: 'CONN', reply: '421 4.3.2 Too busy' }, 'answered 421 4.3.2 to the connection'],
    [{ to: 'CONN', reply: '554 5.7.1 Blocked' }, 'answered 554 5.7.1 to the connection'],
    [{ to: 'AUTH', reply: '454 4.7.0 Temporary failure' }, 'answered 454 4.7.0 to AUTH PLAIN'],
    [{ to: 'CONN', reply: 'hang up' }, 'failed: ECONNECTION'],
    [{ to: 'AUTH', reply: 'hang' }, 'failed: ETIMEDOUT'],
  ])('warns with SMTP_UNREACHABLE at %o', async (answer, reason) => {
    server = await SmtpStandIn.start();
    server.answer(answer);

    const text = expect.stringContaining(reason);
    expect(await finding()).toMatchObject({ code: 'SMTP_UNREACHABLE', severity: 'warning', text });
  });
});
