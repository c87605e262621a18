import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { isProblem, type LatchkeyProblem } from '../../../client/problem.js';
import { Button } from './button.js';
import { addressOf } from './facts.js';
import { keepFocusIn } from './focus.js';
import { problemInWords } from './problem-words.js';
import { setUpAddress } from './return-to.js';
import { Rich, say, Word } from './say.js';
import { goToLogin } from './session.js';

/** Where to go from what is not there, or not for this user. */
export const WayBack = createContext<{ href: string; words: string } | null>(null);

/** What a page has asked the service for. */
export type Loading<T> = { again: () => Promise<void> } & (
  | { state: 'loading' }
  | { state: 'loaded'; data: T }
  | { state: 'failed'; problem: LatchkeyProblem }
);

/** Asks the service when the page opens, and anew with `again`, which keeps what is shown until the answer is there. */
export function useLoad<T>(read: () => Promise<T>): Loading<T> {
  const [loading, setLoading] = useState<Loading<T>>({ state: 'loading', again });
  const turns = useRef({ begun: 0, shown: 0 });
  useEffect(() => {
    again();
  }, []);

  async function again(): Promise<void> {
    const turn = ++turns.current.begun;
    try {
      show({ state: 'loaded', data: await read(), again }, turn);
    } catch (error) {
      if (!isProblem(error)) throw error;
      if (isProblem(error, 'Unauthenticated')) await goToLogin();
      show({ state: 'failed', problem: error, again }, turn);
    }
  }

  /** Leaves out an answer that comes after the answer to a later question: it may be out of date. */
  function show(answer: Loading<T>, turn: number): void {
    if (turn < turns.current.shown) return;
    turns.current.shown = turn;
    setLoading(answer);
  }
  return loading;
}

/** Grey rows at first; then the data, or why there is none. A list without items is for its own page to explain. */
export function Loaded<T>({
  from,
  rows = 3,
  gone,
  children,
}: {
  from: Loading<T>;
  rows?: number;
  /** What to say where there is no such thing, or not for this user. */
  gone?: string;
  children: (data: T, again: () => Promise<void>) => ComponentChildren;
}) {
  if (from.state === 'loading') return <GreyRows count={rows} />;
  if (from.state === 'failed') return <Failed {...from} gone={gone} />;
  return <>{children(from.data, from.again)}</>;
}

export function GreyRows({ count = 3 }: { count?: number }) {
  return (
    <div class="grey-rows" aria-busy="true">
      <p class="unseen">{say(Word['parts.loading'])}</p>
      {Array.from({ length: count }, (_, index) => (
        // Rows that never move.
        // biome-ignore lint/suspicious/noArrayIndexKey: they have nothing else to be told apart by
        <span key={index} />
      ))}
    </div>
  );
}

/** The problem in words, what an operator finds it by, and another try where that can help. */
function Failed({
  problem,
  again,
  gone,
}: {
  problem: LatchkeyProblem;
  again: () => Promise<void>;
  gone: string | undefined;
}) {
  const back = useContext(WayBack) ?? {
    href: addressOf('ui/account'),
    words: say(Word['parts.yourAccount']),
  };
  const box = useRef<HTMLDivElement>(null);
  async function tryAgain(): Promise<void> {
    const keepFocus = keepFocusIn(box.current?.closest('dialog, section, main'));
    await again();
    keepFocus();
  }

  // An address with an id that is none asks for what cannot be there.
  const isGone = isProblem(problem, 'NotFound', 'InsufficientRole', 'ValidationFailed');
  const words = (isGone && gone) || problemInWords(problem);
  const request = problem.request_id;
  return (
    <div ref={box} class="failed" role="alert">
      <p>{words}</p>
      {request && !words.includes(request) && (
        <small>
          <Rich
            word={Word['parts.request']}
            given={{ request, code: (inner) => <code lang="en">{inner}</code> }}
          />
        </small>
      )}
      {/* No form of its own: what failed may stand in the form of a dialog. */}
      {isProblem(problem, 'OrgPolicyUnmet') ? (
        <a href={problem.cure === 'set_up_factor' ? setUpAddress() : addressOf('ui/account')}>
          {say(
            problem.cure === 'set_up_factor' ? Word['organization.factor.setUp'] : Word['parts.yourAccount'],
          )}
        </a>
      ) : isGone ? (
        <a href={back.href}>{back.words}</a>
      ) : (
        <Button onClick={tryAgain}>{say(Word['parts.tryAgain'])}</Button>
      )}
    </div>
  );
}
