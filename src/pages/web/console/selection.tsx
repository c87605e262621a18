import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isProblem } from '../../../client/problem.js';
import { Button, Submit } from '../parts/button.js';
import { counted } from '../parts/counted.js';
import { Dialog } from '../parts/dialog.js';
import { Form, type Sent } from '../parts/form.js';
import { goToLogin } from '../parts/session.js';

/** Requests of one act that are under way at once. */
const AT_ONCE = 3;

/** What can be done to several rows of a list, one request for each. */
export interface SharedAct<T> {
  /** What is done, as the button says it: “Disable”. */
  verb: string;
  /** The rows it can be done to; all where it is absent. */
  fits?: (item: T) => boolean;
  isDangerous?: boolean;
  /** What the dialog says of it, and the fields that it needs. */
  about: ComponentChildren;
  act: (item: T, sent: Sent) => Promise<unknown>;
}

/** How the rows of a list are selected, and what for. */
export interface Selectable<T> {
  /** What one row is: “user”. */
  noun: string;
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
  of: { noun, nameOf, acts, onChange },
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
          <span>
            {selected.length === 0
              ? `Select all ${noun}s on this page`
              : `${counted(selected.length, noun)} selected`}
          </span>
        </label>
      )}
      {acts.map((act) => (
        <Shared
          key={act.verb}
          act={act}
          items={selected.filter(act.fits ?? (() => true))}
          noun={noun}
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
  noun,
  nameOf,
  again,
}: {
  act: SharedAct<T>;
  items: T[];
  noun: string;
  nameOf: (item: T) => string;
  again: () => Promise<void>;
}) {
  // As they were when the dialog opened: what is done to them may change which of them fit.
  const [asked, setAsked] = useState<T[] | null>(null);
  const count = counted(items.length, noun);
  return (
    <>
      {items.length > 0 && (
        <Button
          weight={act.isDangerous ? 'words danger' : 'words'}
          aria-label={`${act.verb}: ${count}`}
          onClick={() => setAsked(items)}
        >
          {act.verb}
        </Button>
      )}
      {asked && (
        <Dialog title={`${act.verb}: ${counted(asked.length, noun)}`} onClose={() => setAsked(null)}>
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
          <Button onClick={close}>Close</Button>
        </div>
      </>
    );
  return (
    <Form act={doAll}>
      {about}
      {faults.size > 0 && (
        <progress aria-label="Done so far" value={faults.size} max={items.length}>
          {faults.size} of {items.length}
        </progress>
      )}
      <div class="buttons end">
        <Button onClick={close}>Cancel</Button>
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
        {done === rows.length ? 'All of them are done.' : `${done} of ${rows.length} are done.`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long list is scrolled with the keyboard as well */}
      <ul class="results" tabIndex={0} aria-label="Results">
        {rows.map(({ name, fault }) => (
          <li key={name}>
            <bdi>{name}</bdi>{' '}
            <span class={fault ? 'badge danger' : 'badge good'}>{fault ? 'Not done' : 'Done'}</span>
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
        report(item, isProven ? '' : NOT_PROVEN);
      } catch (error) {
        if (!isProblem(error)) throw error;
        if (isProblem(error, 'Unauthenticated')) await goToLogin();
        isProven &&= !isProblem(error, 'StepUpRequired');
        report(item, isProven ? error.message : NOT_PROVEN);
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

const NOT_PROVEN = 'You did not confirm that it is you.';
