import type { Fault, Problem } from './api.js';
import { goToLogin, say, sayFault } from './navigation.js';
import { find, react } from './view.js';

const LINK_CUT_OFF: Problem = {
  code: 'InvalidToken',
  detail: 'A part of this link is missing. Open it again from the mail.',
};

/** Does what a form is for, once at a time, with the fields that are not empty. */
export function onSubmit(
  form: HTMLFormElement,
  action: (fields: Record<string, string>) => Promise<void>,
): void {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (form.ariaBusy === 'true') return;

    const entries = [...new FormData(form, event.submitter)] as [string, string][];
    const fields = Object.fromEntries(entries.filter(([, value]) => value !== ''));
    form.ariaBusy = 'true';
    await attempt(() => action(fields), find(document, 'main'), form).finally(() => {
      form.ariaBusy = 'false';
    });
  });
}

/**
 * Does something, and says why if the service refuses it. A user who is not logged in logs in first. The last message
 * stays until then: without it the page would move under the second click of a double one.
 */
export async function attempt(
  action: () => Promise<void> | void,
  page: ParentNode,
  form?: HTMLFormElement,
): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (error instanceof Error) throw error;
    const problem = error as Problem;
    const { code, detail, errors = [] } = isLinkCutOff(problem) ? LINK_CUT_OFF : problem;
    if (code === 'Unauthenticated') return goToLogin();
    // To change one's mind is no fault.
    if (code === 'Canceled') return say(detail);
    react(page, code);
    for (const old of form?.querySelectorAll('.fault') ?? []) old.remove();
    const field = form?.querySelector<HTMLInputElement>(`[data-fault="${code}"]`);
    if (field) mark(field, [detail, field.dataset.remedy].join(' ').trim());
    // The next one is typed in its place.
    field?.select();
    const rest = field ? [] : [detail, ...errors.map((fault) => markInvalid(fault, form))];
    sayFault(rest.join(' ').trim());
    form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }
}

function isLinkCutOff({ errors = [] }: Problem): boolean {
  return errors.some(({ field }) => field === 'token');
}

/** Marks the field that is wrong. Returns what has no field to stand under. */
function markInvalid({ field, messages }: Fault, form?: HTMLFormElement): string {
  const input = form?.elements.namedItem(field);
  const wrong = messages.join(' and ');
  if (!(input instanceof HTMLInputElement)) return `${field} ${wrong}.`;

  mark(input, `${input.labels?.[0]?.textContent.trim()} ${wrong}.`);
  return '';
}

/** Writes under a field what is wrong with it, until it is changed. */
function mark(input: HTMLInputElement, sentence: string): void {
  const fault = document.createElement('p');
  fault.className = 'fault';
  fault.id = `${input.form?.id}-${input.name}-fault`;
  fault.role = 'alert';
  fault.textContent = sentence;
  input.labels?.[0]?.after(fault);
  input.ariaInvalid = 'true';
  input.setAttribute('aria-describedby', fault.id);
  input.addEventListener('input', () => unmark(input, fault), { once: true });
}

function unmark(input: HTMLInputElement, fault: Element): void {
  input.removeAttribute('aria-invalid');
  input.removeAttribute('aria-describedby');
  fault.remove();
}
