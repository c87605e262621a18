interface Asked<Found> {
  hash: Buffer;
  resolve: (found: Found | null) => void;
  reject: (error: unknown) => void;
}

/**
 * Hashes in a statement. PostgreSQL would plan a shorter list at each execution, because the plan it could keep is for ten,
 * and planning costs more than looking up.
 */
const LOOKUPS_TOGETHER = 10;

/** Pads a list with one of its own hashes: the search of the index skips repeats. */
export function longEnough(hashes: Buffer[]): Buffer[] {
  const missing = LOOKUPS_TOGETHER - hashes.length;
  return missing > 0 ? [...hashes, ...Array(missing).fill(hashes[0])] : hashes;
}

/**
 * Looks up ten hashes in a statement, of those that one turn of the event loop asks for: most of what a lookup costs is the
 * way to the database and back. With all of them in one, the service would idle while the database works, and the database
 * while the service answers.
 *
 * The statement is sent after the last of them was asked for, and its answer goes to no other request, so that what has ended
 * is refused to the very next request. The next turn takes the connection with the fewest statements that have no answer yet.
 */
export class Lookups<Found> {
  private asked: Asked<Found>[] = [];

  /** `findAll` answers in the order of the hashes, with null for each that is not there. */
  constructor(private readonly findAll: (hashes: Buffer[]) => Promise<(Found | null)[]>) {}

  /** What is stored under a hash. Returns null for nothing. */
  find(hash: Buffer): Promise<Found | null> {
    if (this.asked.length === 0) setImmediate(() => this.send());
    return new Promise((resolve, reject) => {
      this.asked.push({ hash, resolve, reject });
    });
  }

  private send(): void {
    const { asked } = this;
    this.asked = [];
    while (asked.length > 0) void this.answer(asked.splice(0, LOOKUPS_TOGETHER));
  }

  private async answer(asked: Asked<Found>[]): Promise<void> {
    try {
      const found = await this.findAll(asked.map(({ hash }) => hash));
      for (const [index, { resolve }] of asked.entries()) resolve(found[index] ?? null);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}
