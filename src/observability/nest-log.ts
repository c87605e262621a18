import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Where Nest tells, line by line, what it is made of. */
const CHATTER = ['InstanceLoader', 'NestApplication', 'NestFactory', 'RouterExplorer', 'RoutesResolver'];

/** Nest's logger, writing to the service's log: `logger.warn(object or error, message)` or `logger.warn(message)`. */
export class NestLog implements LoggerService {
  constructor(private readonly pino: Logger) {}

  log = (entry: unknown, ...rest: unknown[]) =>
    this.write(CHATTER.includes(String(rest.at(-1))) ? 'debug' : 'info', entry, rest);
  error = (entry: unknown, ...rest: unknown[]) => this.write('error', entry, rest);
  warn = (entry: unknown, ...rest: unknown[]) => this.write('warn', entry, rest);
  debug = (entry: unknown, ...rest: unknown[]) => this.write('debug', entry, rest);
  verbose = (entry: unknown, ...rest: unknown[]) => this.write('trace', entry, rest);
  fatal = (entry: unknown, ...rest: unknown[]) => this.write('fatal', entry, rest);

  /** Nest puts the name of the class that logs last. */
  private write(
    level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal',
    entry: unknown,
    rest: unknown[],
  ): void {
    const context = rest.at(-1);
    const message = rest.length > 1 ? rest[0] : undefined;

    if (entry instanceof Error) this.pino[level]({ err: entry, context }, String(message ?? entry.message));
    else if (typeof entry === 'object' && entry !== null)
      this.pino[level]({ ...entry, context }, message as string);
    else this.pino[level]({ context }, String(entry));
  }
}
