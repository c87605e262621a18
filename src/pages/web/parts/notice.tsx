import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CHECK, CLOSE, Icon, LOCK, WARNING } from './icons.js';
import { say, Word } from './say.js';

const PARTING = 'said on the next page';

/** What is said, and whether it says that something was done. */
interface Said {
  message: string;
  isDone: boolean;
}

const NOTHING: Said = { message: '', isDone: true };

/** Whether another page is on its way, which this one must not stop. */
export let isLeaving = false;

/** What the page before wanted to be said here; nothing once it was taken. A page that is left leaves it to the next. */
function takeParting(): Said {
  if (isLeaving) return NOTHING;
  const parting = sessionStorage.getItem(PARTING);
  sessionStorage.removeItem(PARTING);
  return parting === null ? NOTHING : JSON.parse(parting);
}

function leaveParting(said: Said): void {
  sessionStorage.setItem(PARTING, JSON.stringify(said));
}

/** Whether the page before left a message: a form has led here. */
export const wasLedHere = sessionStorage.getItem(PARTING) !== null;

let show: (said: Said) => void = () => {};

/** Says at the top of the page what was done, until the next act: screen readers read it out. */
export function announce(message: string): void {
  show({ message, isDone: true });
}

/**
 * Goes to another page. One of the service says what was done, or else why it is there. A form that was sent is nothing to
 * come back to. Of several reasons to go, the first counts.
 */
export function go(address: string, message = '', { isDone = true } = {}): Promise<never> {
  if (!isLeaving) {
    isLeaving = true;
    const isOwn = new URL(address, location.href).origin === location.origin;
    if (message && isOwn) leaveParting({ message, isDone });
    location.replace(address);
  }
  // The form stays busy until the other page is there, or a second click would send it again.
  return new Promise(() => {});
}

/**
 * Goes to the page of something new, which says what was done. The browser's way back leads here again, where the new
 * thing then is.
 */
export function goToNew(address: string, message: string): Promise<never> {
  addEventListener('pageshow', () => location.reload(), { once: true });
  leaveParting({ message, isDone: true });
  location.assign(address);
  return new Promise(() => {});
}

/** The one place for what was done. It is empty at first: a screen reader reads only what comes later. */
export function Notice() {
  const [{ message, isDone }, setSaid] = useState(NOTHING);
  useEffect(() => {
    show = setSaid;
    setSaid(takeParting());
  }, []);

  function close(): void {
    setSaid(NOTHING);
    document.querySelector('h1')?.focus();
  }

  const look = isDone ? 'notice' : 'notice plain';
  return (
    <div class={message ? look : 'unseen'}>
      {message && <Icon lines={isDone ? CHECK : LOCK} />}
      <p role="status">{message}</p>
      {message && (
        <button type="button" aria-label={say(Word['parts.closeMessage'])} onClick={close}>
          <Icon lines={CLOSE} />
        </button>
      )}
    </div>
  );
}

/** What failed, or needs care. */
export function Alert({ children, isWarning = false }: { children: ComponentChildren; isWarning?: boolean }) {
  return (
    <div class={isWarning ? 'alert warn' : 'alert'} role="alert">
      <Icon lines={WARNING} />
      <div>{children}</div>
    </div>
  );
}
