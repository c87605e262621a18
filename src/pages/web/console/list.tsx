import type { ComponentChildren } from 'preact';
import { isProblem, type LatchkeyProblem } from '../../../client/problem.js';
import { Loaded, type Loading } from '../parts/load.js';
import { Table } from '../parts/table.js';
import { addressWith, asked, clearedAddress, isFiltered, NO_OTHERS } from './address-query.js';

/** A page of a list, as the service answers it. */
interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/** A page of a list in a card, with the way to older and newest ones. */
export function List<T, P extends Page<T>>({
  from,
  caption,
  columns,
  row,
  empty,
  cursor = 'cursor',
  others = NO_OTHERS,
  gone,
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
}) {
  if (from.state === 'failed' && isProblem(from.problem, 'ValidationFailed'))
    return <NoSuchFilter problem={from.problem} others={others} />;
  return (
    <div class="card">
      <Loaded from={from} rows={6} {...(gone && { gone })}>
        {(page) =>
          page.data.length > 0 ? (
            <Table caption={caption} columns={columns} rows={page.data.map((item) => row(item, page))} />
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
          Newest
        </a>
      )}
      {next && (
        <a class="button words" href={addressWith(cursor, next)}>
          Older
        </a>
      )}
    </nav>
  );
}
