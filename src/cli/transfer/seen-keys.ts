import { hash } from 'node:crypto';

const FIRST_SLOTS = 2 ** 12;

/**
 * In which line of a file each key stood first. It keeps 64 bits of a hash instead of the key, 12 bytes a slot: of a million
 * keys some 25 MB, in which two different ones look alike in one of ten million files.
 */
export class SeenKeys {
  private hashes = new BigUint64Array(FIRST_SLOTS);
  private lines = new Uint32Array(FIRST_SLOTS);
  private size = 0;

  /** The line in which a key stood first; null where it has not come yet, or it is that line. */
  lineOf(key: string): number | null {
    return this.lines[this.slotOf(hashOf(key))] || null;
  }

  /** Notes the line of a key, unless it stood in an earlier one. */
  note(key: string, line: number): void {
    if (this.size * 4 > this.lines.length * 3) this.grow();
    this.put(hashOf(key), line);
  }

  private put(keyHash: bigint, line: number): void {
    const slot = this.slotOf(keyHash);
    if (this.lines[slot] !== 0) return;
    this.hashes[slot] = keyHash;
    this.lines[slot] = line;
    this.size += 1;
  }

  /** Where a key is, or belongs. */
  private slotOf(keyHash: bigint): number {
    let slot = Number(keyHash % BigInt(this.lines.length));
    while (this.lines[slot] !== 0 && this.hashes[slot] !== keyHash) slot = (slot + 1) % this.lines.length;
    return slot;
  }

  private grow(): void {
    const { hashes, lines } = this;
    this.hashes = new BigUint64Array(hashes.length * 2);
    this.lines = new Uint32Array(lines.length * 2);
    this.size = 0;
    for (const [slot, line] of lines.entries()) if (line !== 0) this.put(hashes[slot] as bigint, line);
  }
}

function hashOf(key: string): bigint {
  return hash('sha256', key, 'buffer').readBigUInt64LE();
}
