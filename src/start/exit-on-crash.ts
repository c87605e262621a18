import type { Logger } from 'pino';

/** Logs an error that no code caught, and ends the process: it may be in any state, and what starts it starts another. */
export function exitOnCrash(log: Logger): void {
  const crash = (error: unknown) => {
    log.fatal({ event: 'process.crashed', err: error }, 'An error that no code caught ends the process.');
    process.exit(1);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
}
