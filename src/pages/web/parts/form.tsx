import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { isProblem, type Reason } from '../../../client/problem.js';
import { keepFocusIn } from './focus.js';
import { Alert } from './notice.js';
import { problemInWords } from './problem-words.js';
import { say, Word } from './say.js';
import { goToLogin } from './session.js';

/** What a form was sent with: the fields that are not empty. */
export type Sent = Record<string, string>;

/** Thrown by what a form does: a sentence that the form then shows. */
export class Refused extends Error {}

interface Faults {
  /** What has no field to stand at. */
  general: string;
  /** What is wrong with a field, by its name. */
  fields: Record<string, string>;
}

const NONE: Faults = { general: '', fields: {} };

const FormFaults = createContext({ faults: NONE, forget: (_field: string) => {} });

/**
 * Does what it is for, once at a time. What the service refuses stands at the field it is about, which gets the focus,
 * or else above the fields. What was typed stays. A user who is not logged in logs in first, and comes back.
 */
export function Form({
  act,
  children,
  ...names
}: {
  act: (sent: Sent) => unknown;
  children: ComponentChildren;
  'aria-labelledby'?: string;
}) {
  const form = useRef<HTMLFormElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [faults, setFaults] = useState(NONE);
  useEffect(() => {
    if (faults !== NONE) firstFault(form.current)?.focus();
  }, [faults]);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const target = event.currentTarget as HTMLFormElement;
    if (target.ariaBusy === 'true') return;

    // At once, or a double click would send it twice. The last message stays: without it the page would move.
    target.ariaBusy = 'true';
    setBusy(true);
    const keepFocus = keepFocusIn(target.closest('section, main'));
    try {
      await act(valuesOf(target, event.submitter));
      setFaults(NONE);
    } catch (error) {
      if (isProblem(error, 'Unauthenticated')) await goToLogin();
      setFaults(faultsOf(error, target));
    } finally {
      target.ariaBusy = 'false';
      setBusy(false);
      keepFocus();
    }
  }

  function forget(field: string): void {
    if (!(field in faults.fields)) return;
    const { [field]: _, ...fields } = faults.fields;
    setFaults({ ...faults, fields });
  }

  return (
    <form ref={form} class="stack" aria-busy={isBusy} onSubmit={submit} {...names}>
      {faults.general && (
        <div tabIndex={-1} data-general>
          <Alert>{faults.general}</Alert>
        </div>
      )}
      <FormFaults.Provider value={{ faults, forget }}>{children}</FormFaults.Provider>
    </form>
  );
}

/** What is wrong with a field of the form around, and what to call once it is changed. */
export function useFault(field: string): { fault: string; forget: () => void } {
  const { faults, forget } = useContext(FormFaults);
  return { fault: faults.fields[field] ?? '', forget: () => forget(field) };
}

/** Leaves for an address that the service named; resolves when the browser goes, or has kept this page and comes back. */
export function leaveFor(address: string): Promise<unknown> {
  location.assign(address);
  return new Promise((resolve) => addEventListener('pagehide', resolve, { once: true }));
}

function valuesOf(form: HTMLFormElement, submitter: HTMLElement | null): Sent {
  const entries = [...new FormData(form, submitter)] as [string, string][];
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}

function firstFault(form: HTMLFormElement | null): HTMLElement | null | undefined {
  const field = form?.querySelector<HTMLInputElement>('[aria-invalid="true"]');
  // The next code or password is typed in its place.
  field?.select?.();
  return field ?? form?.querySelector('[data-general]');
}

/** Throws what is no refusal: a fault of these pages. */
function faultsOf(error: unknown, form: HTMLFormElement): Faults {
  if (error instanceof Refused) return { general: error.message, fields: {} };
  if (!isProblem(error)) throw error;
  if (isProblem(error, 'StepUpRequired')) return { general: say(Word['parts.form.notProven']), fields: {} };

  const { code, errors } = error;
  const message = problemInWords(error);
  const marked = form.querySelector<HTMLInputElement>(`[data-fault~="${code}"]`);
  if (marked) return { general: '', fields: { [marked.name]: marked.dataset.remedy ?? message } };

  const fields: Record<string, string> = {};
  const rest: string[] = [];
  for (const { field, reasons } of errors) {
    // The first one tells enough of what to do: several of a password would each end with the same advice.
    const [fault] = reasons.map(inWords);
    if (fault === undefined) continue;
    if (form.elements.namedItem(field) === null) rest.push(fault);
    else fields[field] = fault;
  }
  const isSaidAtFields = errors.length > 0 && rest.length === 0;
  return { general: isSaidAtFields ? '' : [message, ...rest].join(' '), fields };
}

/** What the catalogue has no case for, it says as its last one. */
function inWords({ code, min = 0, max = 0 }: Reason): string {
  return say(Word['parts.form.fault'], { reason: code as 'not_valid', min, max });
}
