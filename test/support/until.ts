import { setTimeout } from 'node:timers/promises';

const POLL_MS = 5;
const PATIENCE_MS = 25_000;

/** Resolves once something holds that comes by itself; throws when it takes too long. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`It never came to ${holds}`);
    await setTimeout(POLL_MS);
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
