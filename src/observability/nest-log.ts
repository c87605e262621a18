import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';
import { databaseFinding } from '../database/database-findings.js';

/**
 * The parts of Nest that log, line by line, the modules and routes that they find. The bundle writes an underscore before
 * the name of a class that mentions itself.
 */
const VERBOSE_CONTEXT = /^_?(InstanceLoader|NestApplication|NestFactory|RouterExplorer|RoutesResolver)$/;

/** What Nest logs, with its stack, of an error that it throws too; the start tells an operator what to do about it. */
const CANNOT_START = /^(Error: (listen|bind|getaddrinfo) |Unable to connect to the database)/;

/** The part of Nest that logs what ends a start. */
const OF_THE_START = /^_?ExceptionHandler$/;

/** The event of a line that names none: the lines of the framework itself. */
const OF_NEST = 'nest.logged';

/** Nest's logger, which writes to the service's log: `logger.warn({ event, …fields }, sentence)`. */
export class NestLog implements LoggerService {
  constructor(private readonly pino: Logger) {}

  log = (entry: unknown, ...rest: unknown[]) =>
    this.write(VERBOSE_CONTEXT.test(String(rest.at(-1))) ? 'debug' : 'info', entry, rest);
  error = (entry: unknown, ...rest: unknown[]) => {
    if (!isExplained(entry, rest.at(-1))) this.write('error', entry, rest);
  };
  warn = (entry: unknown, ...rest: unknown[]) => this.write('warn', entry, rest);
  debug = (entry: unknown, ...rest: unknown[]) => this.write('debug', entry, rest);
  verbose = (entry: unknown, ...rest: unknown[]) => this.write('trace', entry, rest);
  fatal = (entry: unknown, ...rest: unknown[]) => this.write('fatal', entry, rest);

  /** Nest passes the name of the class that logs as the last argument. */
  private write(
    level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal',
    entry: unknown,
    rest: unknown[],
  ): void {
    const context = rest.at(-1);
    const message = rest.length > 1 ? rest[0] : undefined;
    const fields = { event: OF_NEST, context };

    if (entry instanceof Error) this.pino[level]({ ...fields, err: entry }, String(message ?? entry.message));
    else if (typeof entry === 'object' && entry !== null)
      this.pino[level]({ ...fields, ...entry }, message as string);
    else this.pino[level](fields, String(entry));
  }
}

function isExplained(entry: unknown, context: unknown): boolean {
  const isOfDatabase =
    OF_THE_START.test(String(context)) && databaseFinding(entry, 'SVC_DATABASE_URL') !== null;
  return isOfDatabase || CANNOT_START.test(String(entry));
}
