import { Readable } from 'node:stream';
import type { Caller, Recheck } from './caller.js';

export const CSV_TYPE = 'text/csv';

/** Rows that are in memory at a time. */
const AT_A_TIME = 1_000;

const MOST_OF_ORG = 40;

/** The headers of a file to save. That of a list of an organization is called after it, so that those of two are told apart. */
export function fileHeaders(list: string, inOrg?: Caller) {
  const name = inOrg ? `${list}_${orgInFileName(inOrg)}` : list;
  return {
    'content-type': `${CSV_TYPE}; charset=utf-8`,
    'content-disposition': `attachment; filename="${name}.csv"`,
  };
}

/** The organization of a request in plain letters and digits: its name, or its id where the name has none of them. */
function orgInFileName({ user: { orgId }, membership }: Caller): string {
  const words = (membership?.name ?? '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return (words ?? [orgId]).join('_').slice(0, MOST_OF_ORG).replaceAll('-', '_');
}

/** Excel reads a file as UTF-8 only where this stands at its beginning. */
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Where a spreadsheet may take what follows for a formula (OWASP, "CSV Injection"), which may begin with a wide form of a
 * sign: at the beginning of a cell, and after a semicolon. Excel splits a line there, even within quotes, where the
 * language of the computer has a comma in its decimals.
 */
const FORMULA = /(?<=^|;)(?=\s*[=+\-@＝＋－＠]|[\t\r\n])/g;

/** A row of a list, by the columns of the file. */
type Cells = Record<string, unknown>;

/** A list, of which one part is read at a time. */
export interface List<Row> {
  columns: string[];
  /** The rows after one; the first ones after null. */
  read: (after: Row | null, limit: number) => Promise<Row[]>;
  /** What the file says of some rows. */
  view: (rows: Row[]) => Promise<Cells[]> | Cells[];
}

/**
 * A list as a stream of CSV (RFC 4180), of which one part is in memory at a time. The first part is read before: what that
 * throws is an answer of its own. A file takes as long as its reader does: before each other part the caller is looked at
 * once more, and where that throws, the stream breaks off.
 */
export async function csvOf<Row>(list: List<Row>, recheck: Recheck): Promise<Readable> {
  const first = await list.read(null, AT_A_TIME);
  return Readable.from(linesOf(list, first, recheck));
}

async function* linesOf<Row>(
  { columns, read, view }: List<Row>,
  first: Row[],
  recheck: Recheck,
): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + lineOf(columns);
  let rows = first;
  while (rows.length > 0) {
    const cells = await view(rows);
    yield cells.map((row) => lineOf(columns.map((column) => row[column]))).join('');
    if (rows.length < AT_A_TIME) return;
    await recheck();
    rows = await read(rows.at(-1) ?? null, AT_A_TIME);
  }
}

function lineOf(cells: unknown[]): string {
  return `${cells.map((cell) => cellOf(textOf(cell))).join(',')}\r\n`;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** An apostrophe has a spreadsheet take the cell for a text. */
function cellOf(text: string): string {
  return `"${text.replace(FORMULA, "'").replaceAll('"', '""')}"`;
}

/** What the record of an export says of the list: which filters it had, and never what a person typed into them. */
export function filtersIn(query: object): { filters: string } {
  const set = Object.entries(query).filter(([name, value]) => name !== 'sort' && value !== undefined);
  const names = set.map(([name]) => name).sort();
  return { filters: names.join(' ') };
}
