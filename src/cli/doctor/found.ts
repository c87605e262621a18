import type { Finding } from '../../config/preflight/finding.js';

export function error(code: string, text: string, fix: string): Finding {
  return { code, severity: 'error', text, fix };
}

export function warning(code: string, text: string, fix: string): Finding {
  return { code, severity: 'warning', text, fix };
}
