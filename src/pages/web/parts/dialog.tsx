import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { WithBreaks } from './address.js';
import { Button, Submit, type Weight } from './button.js';
import { Form, type Sent } from './form.js';
import { isolated, say, Word } from './say.js';
import { useUniqueId } from './unique-id.js';

/** Opens at once. The focus trap, Escape and the return of the focus are the browser's. */
export function Dialog({
  title,
  children,
  onClose,
}: {
  title: string;
  children: (close: () => void) => ComponentChildren;
  onClose: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useUniqueId('dialog');
  // Before any other event: a key typed meanwhile would go to the page.
  useLayoutEffect(() => dialog.current?.showModal(), []);

  return (
    <dialog ref={dialog} aria-labelledby={titleId} onClose={onClose}>
      <div class="stack">
        <h2 id={titleId}>
          <WithBreaks>{isolated(title)}</WithBreaks>
        </h2>
        {children(() => dialog.current?.close())}
      </div>
    </dialog>
  );
}

/**
 * A button that asks first: it opens a dialog with what the act does and the fields that it needs. The dialog stays
 * open while the service refuses.
 */
export function Ask({
  button,
  label,
  weight = 'words',
  title,
  verb = button,
  isDangerous = false,
  act,
  children,
}: {
  button: string;
  /** What screen readers read out, where several buttons have the same words. */
  label?: string;
  weight?: Weight;
  title: string;
  /** What the button in the dialog says. */
  verb?: string;
  isDangerous?: boolean;
  act: (sent: Sent) => unknown;
  children?: ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button weight={weight} onClick={() => setOpen(true)} {...(label && { 'aria-label': label })}>
        {button}
      </Button>
      {isOpen && (
        <Dialog title={title} onClose={() => setOpen(false)}>
          {(close) => (
            <Form
              act={async (sent) => {
                await act(sent);
                close();
              }}
            >
              {children}
              <div class="buttons end">
                <Button onClick={close}>{say(Word['parts.cancel'])}</Button>
                <Submit weight={isDangerous ? 'danger' : 'main'}>{verb}</Submit>
              </div>
            </Form>
          )}
        </Dialog>
      )}
    </>
  );
}
