/** Bytes of a line at most: ten times those of the longest that a person with many passkeys has. */
const MAX_LINE_BYTES = 256 * 1024;

const LINE_FEED = 0x0a;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A line of a file, without its end. */
export interface Line {
  /** From 1 on. */
  number: number;
  /** Null for one that cannot be read. */
  text: string | null;
  /** Why it cannot be read. */
  fault: string | null;
}

/**
 * The lines of a file that are not blank. Never more than one of them is in memory, however long: of one beyond
 * MAX_LINE_BYTES only its end is looked for.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let [number, kept, length] = [1, [] as Uint8Array[], 0];
  const keep = (bytes: Uint8Array) => {
    length += bytes.length;
    if (length > MAX_LINE_BYTES) kept = [];
    else kept.push(bytes);
  };
  const read = (): Line[] => {
    const line = length > MAX_LINE_BYTES ? tooLong(number) : lineOf(Buffer.concat(kept), number);
    [number, kept, length] = [number + 1, [], 0];
    return line.text?.trim() === '' ? [] : [line];
  };

  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      keep(chunk.subarray(start, end));
      yield* read();
      start = end + 1;
    }
    keep(chunk.subarray(start));
  }
  if (length > 0) yield* read();
}

function lineOf(bytes: Uint8Array, number: number): Line {
  try {
    // A decoder that is not told otherwise takes a byte order mark off.
    return { number, text: utf8.decode(bytes), fault: null };
  } catch {
    return { number, text: null, fault: 'is not UTF-8' };
  }
}

function tooLong(number: number): Line {
  return { number, text: null, fault: `is longer than ${MAX_LINE_BYTES / 1024} KiB` };
}
