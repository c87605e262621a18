import type { DestinationStream } from 'pino';
import sonic, { type SonicBoom, type SonicBoomOpts } from 'sonic-boom';

const STANDARD_OUTPUT = 1;

/** How long the end of the process waits for a reader that takes no line. */
const LAST_LINES_MS = 1_000;

/**
 * Standard output as the log writes to it, several lines at once. Where its reader goes away, only the log ends: the
 * service must still finish the requests in flight, and stop.
 */
export class LogOutput implements DestinationStream {
  private readonly output: SonicBoom;
  private hasReader = true;

  constructor(buffering: SonicBoomOpts) {
    let endsAt = Number.POSITIVE_INFINITY;
    const retryEAGAIN = () => performance.now() < endsAt;
    this.output = new sonic.SonicBoom({ ...buffering, fd: STANDARD_OUTPUT, retryEAGAIN });
    this.output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      this.hasReader = false;
    });
    process.on('exit', () => {
      endsAt = performance.now() + LAST_LINES_MS;
      this.flushSync();
    });
  }

  write(line: string): void {
    if (this.hasReader) this.output.write(line);
  }

  /** Calls back once the lines have left the process. */
  flush(callback: (error?: Error | null) => void = () => {}): void {
    if (this.hasReader) this.output.flush(callback);
    else callback();
  }

  flushSync(): void {
    if (!this.hasReader) return;
    try {
      this.output.flushSync();
    } catch {
      this.hasReader = false;
    }
  }
}
