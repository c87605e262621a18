import type { ComponentChildren } from 'preact';
import { isProblem, type LatchkeyProblem } from '../../../client/problem.js';
import { Submit } from '../parts/button.js';
import { addressOf } from '../parts/facts.js';
import { Form } from '../parts/form.js';
import { Loaded, type Loading } from '../parts/load.js';
import { Rich, say, Word } from '../parts/say.js';
import { Table } from '../parts/table.js';
import { addressWith, asked, askedOrder, clearedAddress, isFiltered, NO_OTHERS } from './address-query.js';
import { type Selectable, SelectionBar, useSelection } from './selection.js';
import { fileIn } from './service.js';

/** A page of a list, as the service answers it. */
interface Page<T> {
  data: T[];
  next_cursor: string | null;
  total?: number | null;
}

/** Where the service stops counting a list. */
const MOST_LISTED = 1_000;

/** How many rows there are, or at least how many, where the service has stopped counting. */
export interface Counted {
  count: number;
  extent: 'exact' | 'atLeast';
}

/** A page of a list in a card, with the way to older and newest ones. */
export function List<T extends { id: string }, P extends Page<T>>({
  from,
  caption,
  columns,
  row,
  empty,
  cursor = 'cursor',
  others = NO_OTHERS,
  gone,
  total,
  file,
  fileOf,
  selectable,
}: {
  from: Loading<P & Page<T>>;
  caption: string;
  columns: string[];
  /** The first cell names the row. What else was loaded with the page, such as names, comes second. */
  row: (item: T, page: P) => { key: string; cells: ComponentChildren[]; acts?: ComponentChildren };
  /** What stands there when there is nothing yet: a sentence, and the act that fills the list. */
  empty: ComponentChildren;
  /** The name of the list's cursor in the address. */
  cursor?: string;
  /** The filters of the other lists of the document. */
  others?: string[];
  /** What to say where there is no such list for this user. */
  gone?: string;
  /** Says how many rows the list has. */
  total?: (counted: Counted) => string;
  /** Where the whole list can be saved as a file: the path, and the filters in the names of the service. */
  file?: [path: string, query: Record<string, string | undefined>];
  /** The organization that the request for the file has to name. */
  fileOf?: string;
  /** Where several rows can be selected. */
  selectable?: Selectable<T>;
}) {
  const loaded = from.state === 'loaded' ? from.data : null;
  const selection = useSelection(loaded?.data ?? [], selectable?.canSelect);
  const canSelect = selectable && new Set(selection.all.map(({ id }) => id));
  const rowOf = (page: P) => (item: T) => {
    const shown = row(item, page);
    if (!selectable || !canSelect?.size) return shown;
    const [name, ...cells] = shown.cells;
    const first = canSelect.has(item.id) ? (
      <Pick
        key="name"
        label={say(Word['list.select'], { name: selectable.nameOf(item) })}
        isOn={selection.has(item)}
        toggle={() => selection.toggle(item)}
      >
        {name}
      </Pick>
    ) : (
      <div key="name" class="unpicked">
        {name}
      </div>
    );
    return { ...shown, cells: [first, ...cells] };
  };
  if (from.state === 'failed' && isProblem(from.problem, 'ValidationFailed'))
    return <NoSuchFilter problem={from.problem} others={others} />;
  return (
    <div class="card">
      {loaded && loaded.data.length > 0 && (total || file) && (
        <div class="total quiet">
          <p>{typeof loaded.total === 'number' && total?.(countedUpTo(MOST_LISTED, loaded.total))}</p>
          {file && <SaveFile address={fileAddress(file)} org={fileOf} />}
        </div>
      )}
      {selectable && <SelectionBar selection={selection} of={selectable} again={from.again} />}
      <Loaded from={from} rows={6} {...(gone && { gone })}>
        {(page) =>
          page.data.length > 0 ? (
            <Table caption={caption} columns={columns} rows={page.data.map(rowOf(page))} />
          ) : (
            <div class="empty">
              {isFiltered(others) || asked(cursor) ? <NothingHere others={others} /> : empty}
            </div>
          )
        }
      </Loaded>
      {from.state === 'loaded' && <Pages cursor={cursor} next={from.data.next_cursor} caption={caption} />}
    </div>
  );
}

function countedUpTo(most: number, count: number): Counted {
  return { count, extent: count < most ? 'exact' : 'atLeast' };
}

function fileAddress([path, query]: [string, Record<string, string | undefined>]): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return addressOf(`${path}?${new URLSearchParams(given)}`);
}

/** A link can name no organization in a header: for one that is named, the page asks for the file, and then saves it. */
function SaveFile({ address, org }: { address: string; org: string | undefined }) {
  if (org === undefined)
    return (
      <a class="button words" href={address} download>
        {say(Word['list.file'])}
      </a>
    );
  return (
    <Form act={() => saveFile(address, org)}>
      <Submit weight="words">{say(Word['list.file'])}</Submit>
    </Form>
  );
}

async function saveFile(address: string, org: string): Promise<void> {
  const link = document.createElement('a');
  const file = await fileIn(org, address);
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** A box to select a row with, before what names the row. */
function Pick({
  label,
  isOn,
  toggle,
  children,
}: {
  label: string;
  isOn: boolean;
  toggle: () => void;
  children: ComponentChildren;
}) {
  return (
    <div class="pick">
      <label>
        <input type="checkbox" aria-label={label} checked={isOn} onChange={toggle} />
      </label>
      <div>{children}</div>
    </div>
  );
}

function NothingHere({ others }: { others: string[] }) {
  return (
    <>
      <p>{say(Word['list.nothing'])}</p>
      <a class="button words" href={clearedAddress(others)}>
        {isFiltered(others) ? say(Word['list.clear']) : say(Word['list.start'], { order: 'newest' })}
      </a>
    </>
  );
}

/** What was typed into a filter, or into the address, is none that the service knows. */
function NoSuchFilter({ problem, others }: { problem: LatchkeyProblem; others: string[] }) {
  const fields = problem.errors.map(({ field }) => field).join(', ');
  return (
    <div class="card empty" role="alert">
      <p>
        <Rich word={Word['list.noSuchFilter']} given={{ fields, code: (inner) => <code>{inner}</code> }} />
      </p>
      <a class="button words" href={clearedAddress(others)}>
        {say(Word['list.clear'])}
      </a>
    </div>
  );
}

function Pages({ cursor, next, caption }: { cursor: string; next: string | null; caption: string }) {
  if (next === null && !asked(cursor)) return null;
  return (
    <nav class="pages" aria-label={say(Word['list.pages'], { title: caption })}>
      {asked(cursor) && (
        <a class="button words" href={addressWith(cursor, null)}>
          {say(Word['list.start'], { order: askedOrder() })}
        </a>
      )}
      {next && (
        <a class="button words" href={addressWith(cursor, next)}>
          {say(Word['list.next'], { order: askedOrder() })}
        </a>
      )}
    </nav>
  );
}
