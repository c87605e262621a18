import type { ComponentChildren } from 'preact';
import { isProblem, type LatchkeyProblem } from '../../../client/problem.js';
import { counted } from '../parts/counted.js';
import { addressOf } from '../parts/facts.js';
import { Loaded, type Loading } from '../parts/load.js';
import { Table } from '../parts/table.js';
import { addressWith, asked, clearedAddress, isFiltered, isSorted, NO_OTHERS } from './address-query.js';
import { type Selectable, SelectionBar, useSelection } from './selection.js';

/** A page of a list, as the service answers it. */
interface Page<T> {
  data: T[];
  next_cursor: string | null;
  total?: number | null;
}

/** Where the service stops counting a list. */
const MOST_LISTED = 1_000;

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
  noun,
  file,
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
  /** What one row is, where the list says how many there are. */
  noun?: string;
  /** Where the whole list can be saved as a file: the path, and the filters in the names of the service. */
  file?: [path: string, query: Record<string, string | undefined>];
  /** Where several rows can be selected. */
  selectable?: Selectable<T>;
}) {
  const loaded = from.state === 'loaded' ? from.data : null;
  const selection = useSelection(loaded?.data ?? [], selectable?.canSelect);
  const canSelect = selectable && new Set(selection.all.map(({ id }) => id));
  const rowOf = (page: P) => (item: T) => {
    const shown = row(item, page);
    if (!selectable || !canSelect?.has(item.id)) return shown;
    const [name, ...cells] = shown.cells;
    return {
      ...shown,
      cells: [
        <Pick
          key="name"
          label={selectable.nameOf(item)}
          isOn={selection.has(item)}
          toggle={() => selection.toggle(item)}
        >
          {name}
        </Pick>,
        ...cells,
      ],
    };
  };
  if (from.state === 'failed' && isProblem(from.problem, 'ValidationFailed'))
    return <NoSuchFilter problem={from.problem} others={others} />;
  return (
    <div class="card">
      {loaded && loaded.data.length > 0 && (noun || file) && (
        <div class="total quiet">
          <p>{noun && typeof loaded.total === 'number' && counted(loaded.total, noun, MOST_LISTED)}</p>
          {file && (
            <a class="button words" href={fileAddress(file)} download>
              Save as CSV
            </a>
          )}
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

function fileAddress([path, query]: [string, Record<string, string | undefined>]): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return addressOf(`${path}?${new URLSearchParams(given)}`);
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
        <input type="checkbox" aria-label={`Select ${label}`} checked={isOn} onChange={toggle} />
      </label>
      <div>{children}</div>
    </div>
  );
}

function NothingHere({ others }: { others: string[] }) {
  return (
    <>
      <p>Nothing matches.</p>
      <a class="button words" href={clearedAddress(others)}>
        {isFiltered(others) ? 'Clear the filter' : 'Newest'}
      </a>
    </>
  );
}

/** What was typed into a filter, or into the address, is none that the service knows. */
function NoSuchFilter({ problem, others }: { problem: LatchkeyProblem; others: string[] }) {
  const faults = problem.errors.map(({ field, messages }) => `${field} ${messages.join(' and ')}`);
  return (
    <div class="card empty" role="alert">
      <p>Nothing can be found like this: {faults.join('; ')}.</p>
      <a class="button words" href={clearedAddress(others)}>
        Clear the filter
      </a>
    </div>
  );
}

function Pages({ cursor, next, caption }: { cursor: string; next: string | null; caption: string }) {
  if (next === null && !asked(cursor)) return null;
  return (
    <nav class="pages" aria-label={`Pages: ${caption}`}>
      {asked(cursor) && (
        <a class="button words" href={addressWith(cursor, null)}>
          {isSorted() ? 'First' : 'Newest'}
        </a>
      )}
      {next && (
        <a class="button words" href={addressWith(cursor, next)}>
          {isSorted() ? 'Next' : 'Older'}
        </a>
      )}
    </nav>
  );
}
