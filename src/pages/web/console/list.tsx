import type { ComponentChildren } from 'preact';
import { Submit } from '../parts/button.js';
import { Loaded, type Loading } from '../parts/load.js';
import { Table } from '../parts/table.js';

/** Rows on one page of a list. */
const PAGE_SIZE = 50;

const CURSOR = /cursor$/;

const NO_OTHERS: string[] = [];

/** A page of a list, as the service answers it. */
interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/**
 * What the address asks for, by the name of its query; absent where it is empty. The service refuses what a person typed
 * there that is not of the type.
 */
export function asked<T = string>(name: string): T | undefined {
  return (new URLSearchParams(location.search).get(name) || undefined) as T | undefined;
}

/** The id of the one thing that the address asks for. Dots would make another path of it. */
export function askedId(): string | undefined {
  return asked('id')?.replace(/^\.+$/, '-');
}

/** The page of a list that the address asks for. A document with several lists has a cursor for each. */
export function askedPage(cursor = 'cursor') {
  return { limit: PAGE_SIZE, cursor: asked(cursor) };
}

/** The filters of a list: what they are set to is in the address, so that a colleague can be sent it. */
export function Filters({
  others = NO_OTHERS,
  children,
}: {
  /** The filters of the other lists of the document, which stay as they are. */
  others?: string[];
  children: ComponentChildren;
}) {
  return (
    <search>
      <form class="filters" onFormData={leaveOutEmpty}>
        {['id', ...others].map(
          (name) => asked(name) && <input key={name} type="hidden" name={name} value={asked<string>(name)} />,
        )}
        {children}
        <Submit weight="plain">Filter</Submit>
        {isFiltered(others) && (
          <a class="button words" href={clearedAddress(others)}>
            Clear
          </a>
        )}
      </form>
    </search>
  );
}

/** A filter to type. */
export function TextFilter({
  label,
  name,
  example = '',
}: {
  label: string;
  name: string;
  /** What may be typed, where the label does not say it. */
  example?: string;
}) {
  return (
    <label>
      {label}
      <input
        class="control"
        type="search"
        name={name}
        placeholder={example}
        defaultValue={asked<string>(name) ?? ''}
      />
    </label>
  );
}

/** A day to choose. */
export function DayFilter({ label, name, day }: { label: string; name: string; day: string }) {
  return (
    <label>
      {label}
      <input class="control" type="date" name={name} defaultValue={day} />
    </label>
  );
}

/** Options in words, by their values; a group has options of its own, by its words. */
type Options = Record<string, string | Record<string, string>>;

/** A filter to choose. Without a choice it lets everything through. */
export function ChoiceFilter({ label, name, options }: { label: string; name: string; options: Options }) {
  return (
    <label>
      {label}
      <select class="control" name={name}>
        <option value="">All</option>
        {optionsOf(options, asked(name))}
      </select>
    </label>
  );
}

function optionsOf(options: Options, chosen: string | undefined): ComponentChildren {
  return Object.entries(options).map(([value, words]) =>
    typeof words === 'string' ? (
      <option key={value} value={value} selected={value === chosen}>
        {words}
      </option>
    ) : (
      <optgroup key={value} label={value}>
        {optionsOf(words, chosen)}
      </optgroup>
    ),
  );
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

function leaveOutEmpty(event: Event): void {
  const { formData } = event as FormDataEvent;
  for (const [name, value] of [...formData]) if (value === '') formData.delete(name);
}

function isFiltered(others: string[]): boolean {
  return [...new URLSearchParams(location.search)].some(
    ([name, value]) => value !== '' && name !== 'id' && !others.includes(name) && !CURSOR.test(name),
  );
}

/** This address without the filters and cursors of a list. */
function clearedAddress(others: string[]): string {
  const kept = [...new URLSearchParams(location.search)].filter(
    ([name]) => name === 'id' || others.includes(name),
  );
  return kept.length === 0 ? location.pathname : `${location.pathname}?${new URLSearchParams(kept)}`;
}

function addressWith(cursor: string, value: string | null): string {
  const query = new URLSearchParams(location.search);
  if (value === null) query.delete(cursor);
  else query.set(cursor, value);
  return `${location.pathname}?${query}`;
}
