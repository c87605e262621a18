import cluster from 'node:cluster';
import { type DestinationStream, type Logger, pino } from 'pino';
import { QueryFailedError } from 'typeorm';
import type { Environment } from '../config/environment.js';
import { LogOutput } from './log-output.js';

/** A system call costs as much as the rest of a line, so several lines share one; none waits for long. */
const BUFFERED = { sync: false, minLength: 12_288, periodicFlush: 250 };

/** No more than a pipe takes in one piece (POSIX, PIPE_BUF), so that the lines of several workers do not mix. */
const BUFFERED_IN_WORKER = { ...BUFFERED, minLength: 3_072, maxWrite: 4_096 };

/**
 * Signs that end a line for some readers, or that a terminal obeys: C1 controls, DEL, and the separators of Unicode.
 * JSON leaves them as they are, and clients choose names and user agents.
 */
const OBEYED = /[\x7f-\x9f\u2028\u2029]/g;

/** Makes the service's log: JSON lines, and in `dev` lines for people. */
export async function createLog({ environment, logLevel }: Environment): Promise<Logger> {
  const pretty = environment === 'dev' ? await prettyDestination() : undefined;
  // pino-pretty would undo an escape, and print the sign.
  if (pretty) return logTo(pretty, logLevel, '\\\\u');
  return logTo(new LogOutput(cluster.isWorker ? BUFFERED_IN_WORKER : BUFFERED), logLevel);
}

/** A log that goes to a stream. What terminals obey is written as its number, behind an escape. */
export function logTo(destination: DestinationStream, level: string, escapeWith = '\\u'): Logger {
  return pino(
    {
      level,
      base: cluster.isWorker ? { worker: process.pid } : null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describe },
      hooks: {
        streamWrite: (line) =>
          line.replace(OBEYED, (sign) => escapeWith + sign.charCodeAt(0).toString(16).padStart(4, '0')),
      },
    },
    destination,
  );
}

/** pino-pretty is not installed where optional packages are left out; JSON will do there. */
async function prettyDestination(): Promise<DestinationStream | undefined> {
  const pretty = await import('pino-pretty').catch(() => undefined);
  return pretty?.default({
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    sync: true,
  });
}

/** The fields of an error in the log. A failed statement's parameters stay out: they hold hashes and addresses. */
function describe(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  const code =
    error instanceof QueryFailedError ? error.driverError.code : (error as { code?: unknown }).code;
  return { name, message, code, stack };
}
