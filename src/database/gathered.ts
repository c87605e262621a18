const FLUSH_AFTER_MS = 2_000;

/** What requests note, by keys, and what writes it off their path. What is noted again before that counts. */
export class Gathered<Value> {
  private noted = new Map<string, Value>();
  private timer: NodeJS.Timeout | undefined;

  /** `write` must not throw: nobody awaits it. */
  constructor(private readonly write: (noted: Map<string, Value>) => Promise<void>) {}

  note(key: string, value: Value): void {
    this.noted.set(key, value);
    this.timer ??= setTimeout(() => this.flush(), FLUSH_AFTER_MS).unref();
  }

  /** Writes what was gathered. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { noted } = this;
    this.noted = new Map();
    if (noted.size > 0) await this.write(noted);
  }
}
