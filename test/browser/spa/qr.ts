/** The modules of a QR code, row by row: true is dark. */
export type Modules = boolean[][];

/** The modules while they are drawn: null is free for data. */
type Frame = (boolean | null)[][];

/** What error correction M adds to each block, and into how many blocks it parts the data, by version (Table 9). */
const CORRECTION_LENGTHS = [
  10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
];
const BLOCKS = [
  1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29,
  31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
];

/** Whether a mask turns a module over (Table 10). */
const MASKS: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/**
 * The QR code (ISO/IEC 18004) of a text: bytes of UTF-8, with error correction M, which survives a stain on a seventh
 * of it. Throws for more than 2,331 bytes.
 */
export function qrCode(text: string): Modules {
  const bytes = [...new TextEncoder().encode(text)];
  for (let version = 1; version <= BLOCKS.length; version++) {
    const frame = drawFrame(version);
    const length = Math.floor(frame.flat().filter((module) => module === null).length / 8);
    const corrections = at(CORRECTION_LENGTHS, version - 1);
    const blocks = at(BLOCKS, version - 1);
    const data = encode(bytes, version, length - corrections * blocks);
    if (data) return bestMasked(frame, interleave(data, blocks, corrections));
  }
  throw new RangeError('The text is too long for a QR code.');
}

/** The data of the symbol: its mode, the length, the bytes, and padding. Returns null when it has no room for them. */
function encode(bytes: number[], version: number, room: number): number[] | null {
  const lengthBits = version < 10 ? 8 : 16;
  if (4 + lengthBits + 8 * bytes.length > 8 * room) return null;

  const bits = [binary(4, 4), binary(bytes.length, lengthBits), ...bytes.map((byte) => binary(byte, 8))].join(
    '',
  );
  // Four zeros end it, or as many as there is room for.
  const ended = bits.padEnd(Math.min(bits.length + 4, 8 * room), '0');
  const whole = ended.padEnd(Math.ceil(ended.length / 8) * 8, '0');
  const data = whole.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [];
  for (let padding = 0xec; data.length < room; padding ^= 0xec ^ 0x11) data.push(padding);
  return data;
}

/** Adds the error correction, block by block, and mixes the blocks: a stain then hurts each of them a little. */
function interleave(data: number[], count: number, corrections: number): number[] {
  const shortLength = Math.floor(data.length / count);
  const longBlocks = data.length % count;
  const blocks: number[][] = [];
  for (let start = 0; blocks.length < count; ) {
    const length = shortLength + (blocks.length < count - longBlocks ? 0 : 1);
    blocks.push(data.slice(start, start + length));
    start += length;
  }
  return [...columnsOf(blocks), ...columnsOf(blocks.map((block) => remainder(block, corrections)))];
}

function columnsOf(rows: number[][]): number[] {
  const longest = Math.max(...rows.map((row) => row.length));
  const columns = Array.from({ length: longest }, (_, index) => rows.map((row) => row[index]));
  return columns.flat().filter((value) => value !== undefined);
}

/** The Reed-Solomon code of a block: the remainder after division by (x - 1)(x - 2)(x - 4)… over GF(256). */
function remainder(block: number[], length: number): number[] {
  let divisor = [1];
  for (let root = 1, degree = 0; degree < length; degree++, root = multiply(root, 2))
    divisor = [...divisor, 0].map((value, index) => value ^ multiply(divisor[index - 1] ?? 0, root));

  const rest = [...block, ...Array<number>(length).fill(0)];
  block.forEach((_, start) => {
    const factor = at(rest, start);
    divisor.forEach((value, index) => {
      rest[start + index] = at(rest, start + index) ^ multiply(value, factor);
    });
  });
  return rest.slice(block.length);
}

/** Multiplies in GF(256), modulo x⁸ + x⁴ + x³ + x² + 1. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ (product & 0x80 ? 0x11d : 0);
    if ((b >> bit) & 1) product ^= a;
  }
  return product;
}

/** What every symbol of a version has: its patterns, its number, and a place for the number of the mask. */
function drawFrame(version: number): Frame {
  const size = 17 + 4 * version;
  const frame: Frame = Array.from({ length: size }, () => Array<boolean | null>(size).fill(null));
  for (let i = 0; i < size; i++) {
    set(frame, i, 6, i % 2 === 0);
    set(frame, 6, i, i % 2 === 0);
  }
  const centers = alignmentCenters(version);
  const last = centers.length - 1;
  for (const [i, x] of centers.entries())
    for (const [j, y] of centers.entries()) {
      const isInCorner = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0);
      if (!isInCorner) drawSquares(frame, x, y, 2, [true, false, true]);
    }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    drawSquares(frame, x, y, 4, [true, true, false, true, false]);

  drawMaskNumber(frame, 0);
  if (version >= 7) drawVersion(frame, version);
  return frame;
}

/** Draws squares around a center, from the inside: the module itself, the ring around it, and so on. */
function drawSquares(frame: Frame, x: number, y: number, radius: number, rings: boolean[]): void {
  for (let dy = -radius; dy <= radius; dy++)
    for (let dx = -radius; dx <= radius; dx++) {
      const isInside = frame[y + dy]?.[x + dx] !== undefined;
      if (isInside) set(frame, x + dx, y + dy, at(rings, Math.max(Math.abs(dx), Math.abs(dy))));
    }
}

/** Where the centers of the small squares are, both across and down (Annex E). */
function alignmentCenters(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const distance = version === 32 ? 26 : 2 * Math.ceil((4 * version + 4) / (2 * count - 2));
  const fromTheEnd = Array.from({ length: count - 1 }, (_, index) => 10 + 4 * version - index * distance);
  return [6, ...fromTheEnd.reverse()];
}

/** Draws the level of the error correction and the number of the mask, twice (§7.9). */
function drawMaskNumber(frame: Frame, mask: number): void {
  // Level M is 00. The mask keeps it from being all light.
  const bits = withCheck(mask, 10, 0x537) ^ 0x5412;
  const size = frame.length;
  for (let i = 0; i < 15; i++) {
    const isDark = ((bits >> i) & 1) === 1;
    // Around the upper left square, where the lines of row and column 6 are in the way.
    if (i < 8) set(frame, 8, i < 6 ? i : i + 1, isDark);
    else set(frame, i === 8 ? 7 : 14 - i, 8, isDark);
    // Beside the other two.
    if (i < 8) set(frame, size - 1 - i, 8, isDark);
    else set(frame, 8, size - 15 + i, isDark);
  }
  set(frame, 8, size - 8, true);
}

/** Draws the number of the version, twice (§7.10). */
function drawVersion(frame: Frame, version: number): void {
  const bits = withCheck(version, 12, 0x1f25);
  for (let i = 0; i < 18; i++) {
    const isDark = ((bits >> i) & 1) === 1;
    const [far, near] = [frame.length - 11 + (i % 3), Math.floor(i / 3)];
    set(frame, far, near, isDark);
    set(frame, near, far, isDark);
  }
}

/** A number followed by the remainder of its division by a polynomial (BCH). */
function withCheck(value: number, length: number, divisor: number): number {
  let rest = value;
  for (let i = 0; i < length; i++) rest = (rest << 1) ^ (((rest >> (length - 1)) & 1) * divisor);
  return (value << length) | rest;
}

/** Fills the free modules, under the mask that gives the fewest patterns which readers mistake for others (§7.8.3). */
function bestMasked(frame: Frame, codewords: number[]): Modules {
  const bits = codewords.map((codeword) => binary(codeword, 8)).join('');
  const candidates = MASKS.map((isTurned, mask) => {
    const masked = frame.map((row) => [...row]);
    drawMaskNumber(masked, mask);
    // The modules that are left over at the end are light.
    freeModules(frame).forEach(([x, y], index) => {
      set(masked, x, y, (bits[index] === '1') !== isTurned(x, y));
    });
    return masked as Modules;
  });
  const penalties = candidates.map(penaltyOf);
  return at(candidates, penalties.indexOf(Math.min(...penalties)));
}

/** The free modules in the order of the data: up and down in columns of two, from the right. */
function freeModules(frame: Frame): [number, number][] {
  const found: [number, number][] = [];
  const size = frame.length;
  let isUpward = true;
  for (let right = size - 1; right > 0; right -= 2) {
    // Column 6 is a pattern from end to end.
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) {
      const y = isUpward ? size - 1 - step : step;
      for (const x of [right, right - 1]) if (frame[y]?.[x] === null) found.push([x, y]);
    }
    isUpward = !isUpward;
  }
  return found;
}

function penaltyOf(modules: Modules): number {
  const rows = modules.map((row) => row.map(Number).join(''));
  const columns = modules.map((_, x) => rows.map((row) => row[x]).join(''));
  let penalty = 0;
  for (const line of [...rows, ...columns]) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) penalty += run.length - 2;
    penalty += 40 * [...line.matchAll(/(?=00001011101|10111010000)/g)].length;
  }
  for (const [y, row] of rows.entries())
    for (let x = 1; y > 0 && x < row.length; x++) {
      const square = row.slice(x - 1, x + 1) + rows[y - 1]?.slice(x - 1, x + 1);
      if (square === '0000' || square === '1111') penalty += 3;
    }
  const dark = modules.flat().filter(Boolean).length / modules.length ** 2;
  return penalty + 10 * Math.floor(Math.abs(dark - 0.5) * 20);
}

function set(frame: Frame, x: number, y: number, isDark: boolean): void {
  const row = frame[y];
  if (row) row[x] = isDark;
}

function at(values: number[], index: number): number;
function at<T>(values: T[], index: number): T;
function at<T>(values: T[], index: number): T {
  const value = values[index];
  if (value === undefined) throw new RangeError(`There is no value ${index}`);
  return value;
}

function binary(value: number, length: number): string {
  return value.toString(2).padStart(length, '0');
}
