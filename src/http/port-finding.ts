import type { Environment } from '../config/environment.js';
import type { Finding } from '../config/preflight/finding.js';

const LOWEST_PORT_OF_A_USER = 1024;

/** Says why the service cannot listen at its address. Returns null for an error of another kind. */
export function portFinding(error: unknown, { host, port }: Environment): Finding | null {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return fault('PORT_TAKEN', `Another process listens at ${host}:${port}.`, 'Stop it, or set SVC_PORT.');
    case 'EACCES':
      return fault(
        'PORT_NOT_ALLOWED',
        `This user may not listen on port ${port}.`,
        `Set SVC_PORT to ${LOWEST_PORT_OF_A_USER} or above, and let the proxy have the port.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return fault(
        'HOST_NOT_HERE',
        `This machine has no address "${host}", which SVC_HOST names.`,
        'Name one that it has, such as 127.0.0.1, or 0.0.0.0 for all of them.',
      );
    default:
      return null;
  }
}

function fault(code: string, text: string, fix: string): Finding {
  return { code, severity: 'error', text, fix };
}
