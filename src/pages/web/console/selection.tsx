import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isProblem } from '../../../client/problem.js';
import { Button, Submit } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { Form, type Sent } from '../parts/form.js';
import { problemInWords } from '../parts/problem-words.js';
import { say, Word } from '../parts/say.js';
import { goToLogin } from '../parts/session.js';

/** Requests of one act that are under way at once. */
const AT_ONCE = 3;

/** What can be done to several rows of a list, one request for each. */
export interface SharedAct<T> {
  /** What the button says: “Disable”. */
  verb: string;
  /** What the button does to so many rows: “Disable 3 users”. The dialog has it as its title. */
  title: (count: number) => string;
  /** The rows it can be done to; all where it is absent. */
  fits?: (item: T) => boolean;
  isDangerous?: boolean;
  /** What the dialog says of it, and the fields that it needs. */
  about: ComponentChildren;
  act: (item: T, sent: Sent) => Promise<unknown>;
}

/** How the rows of a list are selected, and what for. */
export interface Selectable<T> {
  /** Says that a box selects all rows of the page. */
  all: string;
  /** Says how many are selected. */
  some: (count: number) => string;
  nameOf: (item: T) => string;
  canSelect?: (item: T) => boolean;
  acts: SharedAct<T>[];
  /** Reads what else the screen shows of the rows. */
  onChange?: () => Promise<void>;
}

/** Which rows of a page are selected, by their ids. */
export function useSelection<T extends { id: string }>(
  items: T[],
  canSelect: (item: T) => boolean = () => true,
) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const all = items.filter(canSelect);
  const selected = all.filter(({ id }) => ids.has(id));
  return {
    all,
    selected,
    has: (item: T) => ids.has(item.id),
    toggle: ({ id }: T) => {
      const others = new Set(ids);
      if (!others.delete(id)) others.add(id);
      setIds(others);
    },
    toggleAll: () => setIds(new Set(selected.length === all.length ? [] : all.map(({ id }) => id))),
  };
}

/** Above a list: selects all rows of the page, and does something to those that are selected. */
export function SelectionBar<T extends { id: string }>({
  selection: { all, selected, toggleAll },
  of: { all: selectAll, some, nameOf, acts, onChange },
  again,
}: {
  selection: ReturnType<typeof useSelection<T>>;
  of: Selectable<T>;
  again: () => Promise<void>;
}) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current) box.current.indeterminate = selected.length > 0 && selected.length < all.length;
  });
  return (
    <div class="selection">
      {all.length > 0 && (
        <label class="choice">
          <input ref={box} type="checkbox" checked={selected.length === all.length} onChange={toggleAll} />
          <span>{selected.length === 0 ? selectAll : some(selected.length)}</span>
        </label>
      )}
      {acts.map((act) => (
        <Shared
          key={act.verb}
          act={act}
          items={selected.filter(act.fits ?? (() => true))}
          nameOf={nameOf}
          again={async () => {
            await Promise.all([again(), onChange?.()]);
          }}
        />
      ))}
    </div>
  );
}

/** A button that asks once for all rows, shows how far it is, and then says of each row what became of it. */
function Shared<T extends { id: string }>({
  act,
  items,
  nameOf,
  again,
}: {
  act: SharedAct<T>;
  items: T[];
  nameOf: (item: T) => string;
  again: () => Promise<void>;
}) {
  // As they were when the dialog opened: what is done to them may change which of them fit.
  const [asked, setAsked] = useState<T[] | null>(null);
  return (
    <>
      {items.length > 0 && (
        <Button
          weight={act.isDangerous ? 'words danger' : 'words'}
          aria-label={act.title(items.length)}
          onClick={() => setAsked(items)}
        >
          {act.verb}
        </Button>
      )}
      {asked && (
        <Dialog title={act.title(asked.length)} onClose={() => setAsked(null)}>
          {(close) => <Doing act={act} items={asked} nameOf={nameOf} again={again} close={close} />}
        </Dialog>
      )}
    </>
  );
}

function Doing<T extends { id: string }>({
  act: { act, about, verb, isDangerous },
  items,
  nameOf,
  again,
  close,
}: {
  act: SharedAct<T>;
  items: T[];
  nameOf: (item: T) => string;
  again: () => Promise<void>;
  close: () => void;
}) {
  /** Of each row why it failed; nothing where it did not. */
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const [isDone, setDone] = useState(false);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isDone) end.current?.querySelector('button')?.focus();
  }, [isDone]);

  async function doAll(sent: Sent): Promise<void> {
    await forEach(
      items,
      (item) => act(item, sent),
      (item, fault) => setFaults((known) => new Map(known).set(item.id, fault)),
    );
    setDone(true);
    await again();
  }

  if (isDone)
    return (
      <>
        <Results rows={items.map((item) => ({ name: nameOf(item), fault: faults.get(item.id) ?? '' }))} />
        <div class="buttons end" ref={end}>
          <Button onClick={close}>{say(Word['select.close'])}</Button>
        </div>
      </>
    );
  return (
    <Form act={doAll}>
      {about}
      {faults.size > 0 && (
        <progress aria-label={say(Word['select.progress'])} value={faults.size} max={items.length} />
      )}
      <div class="buttons end">
        <Button onClick={close}>{say(Word['parts.cancel'])}</Button>
        <Submit weight={isDangerous ? 'danger' : 'main'}>{verb}</Submit>
      </div>
    </Form>
  );
}

/** What became of each of several things: nothing is wrong where there is no fault. */
export function Results({ rows }: { rows: { name: string; fault: string }[] }) {
  const done = rows.filter(({ fault }) => !fault).length;
  return (
    <>
      <p role="status">
        {done === rows.length
          ? say(Word['select.allDone'])
          : say(Word['select.someDone'], { done, count: rows.length })}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long list is scrolled with the keyboard as well */}
      <ul class="results" tabIndex={0} aria-label={say(Word['select.results'])}>
        {rows.map(({ name, fault }) => (
          <li key={name}>
            <bdi>{name}</bdi>{' '}
            <span class={fault ? 'badge danger' : 'badge good'}>
              {say(fault ? Word['select.notDone'] : Word['select.done'])}
            </span>
            {fault && <small>{fault}</small>}
          </li>
        ))}
      </ul>
    </>
  );
}

/**
 * Does something for each of some items, some at once, and says of each why it failed. The proof that the first ones ask
 * for counts for all; without it, the rest is left.
 */
async function forEach<T>(
  items: T[],
  act: (item: T) => Promise<unknown>,
  report: (item: T, fault: string) => void,
): Promise<void> {
  const waiting = [...items];
  let isProven = true;
  async function work(): Promise<void> {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        if (isProven) await act(item);
        report(item, isProven ? '' : notProven());
      } catch (error) {
        if (!isProblem(error)) throw error;
        if (isProblem(error, 'Unauthenticated')) await goToLogin();
        isProven &&= !isProblem(error, 'StepUpRequired');
        report(item, isProven ? problemInWords(error) : notProven());
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function notProven(): string {
  return say(Word['select.notProven']);
}
