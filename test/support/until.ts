import { setTimeout } from 'node:timers/promises';

/** Soon at first, and then less and less often: what a test waits for may need the processor that looks take. */
const FIRST_POLL_MS = 5;
const LAST_POLL_MS = 50;
const SLOWER = 1.25;

const PATIENCE_MS = 50_000;

/** Resolves once something holds that comes by itself; throws when it takes too long. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (let pollMs = FIRST_POLL_MS; !(await holds()); pollMs = Math.min(pollMs * SLOWER, LAST_POLL_MS)) {
    if (performance.now() > deadline) throw new Error(`It never came to ${holds}`);
    await setTimeout(pollMs);
  }
}

/** Something that a test waits at until another part of it opens it. */
export class Gate {
  readonly opened: Promise<void>;
  open: () => void = () => {};

  constructor() {
    this.opened = new Promise((resolve) => {
      this.open = resolve;
    });
  }
}
