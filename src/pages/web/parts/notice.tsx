import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Icon } from './icons.js';

const PARTING = 'said on the next page';

/** Returns null at the first call after it was taken. */
function takeParting(): string {
  const message = sessionStorage.getItem(PARTING) ?? '';
  sessionStorage.removeItem(PARTING);
  return message;
}

/** Whether the page before left a message: a form has led here. */
export const wasLedHere = sessionStorage.getItem(PARTING) !== null;

let show: (message: string) => void = () => {};

/** Says at the top of the page what was done, until the next act: screen readers read it out. */
export function say(message: string): void {
  show(message);
}

let isLeaving = false;

/**
 * Goes to another page. One of the service says what was done. A form that was sent is nothing to come back to. Of
 * several reasons to go, the first counts.
 */
export function go(address: string, message = ''): Promise<never> {
  if (!isLeaving) {
    isLeaving = true;
    const isOwn = new URL(address, location.href).origin === location.origin;
    if (message && isOwn) sessionStorage.setItem(PARTING, message);
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
  sessionStorage.setItem(PARTING, message);
  location.assign(address);
  return new Promise(() => {});
}

/** The one place for what was done. It is empty at first: a screen reader reads only what comes later. */
export function Notice() {
  const [message, setMessage] = useState('');
  useEffect(() => {
    show = setMessage;
    setMessage(takeParting());
  }, []);

  function close(): void {
    setMessage('');
    document.querySelector('h1')?.focus();
  }

  return (
    <div class={message ? 'notice' : 'unseen'}>
      {message && <Icon name="check" />}
      <p role="status">{message}</p>
      {message && (
        <button type="button" aria-label="Close this message" onClick={close}>
          <Icon name="close" />
        </button>
      )}
    </div>
  );
}

/** What failed, or needs care. */
export function Alert({ children, isWarning = false }: { children: ComponentChildren; isWarning?: boolean }) {
  return (
    <div class={isWarning ? 'alert warn' : 'alert'} role="alert">
      <Icon name="warning" />
      <div>{children}</div>
    </div>
  );
}
