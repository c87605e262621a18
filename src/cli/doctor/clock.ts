import type { Finding } from '../../config/preflight/finding.js';

const MAX_SKEW_SECONDS = 30;

/** Compares the clock of another machine with that of this one. */
export function examineClock(code: string, whose: string, now: Date): Finding[] {
  const skewSeconds = Math.round((now.getTime() - Date.now()) / 1000);
  if (Math.abs(skewSeconds) <= MAX_SKEW_SECONDS) return [];
  return [
    {
      code,
      severity: 'error',
      text: `The clock of ${whose} and that of this machine are ${Math.abs(skewSeconds)} seconds apart.`,
      fix: 'Synchronise both with NTP: the login through the provider and the limits go by the clock.',
    },
  ];
}
