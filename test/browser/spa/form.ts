import type { Fault, Problem } from './api.js';
import { goToLogin, say } from './navigation.js';

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
    await attempt(() => action(fields), form).finally(() => {
      form.ariaBusy = 'false';
    });
  });
}

/** Does something, and says why if the service refuses it. Who is not logged in does that first. */
export async function attempt(action: () => Promise<void> | void, form?: HTMLFormElement): Promise<void> {
  say('');
  try {
    await action();
  } catch (error) {
    if (error instanceof Error) throw error;
    const { code, detail, errors = [] } = error as Problem;
    if (code === 'Unauthenticated') return goToLogin();
    say([detail, ...errors.map((fault) => markInvalid(fault, form))].join(' '));
  }
}

/** Marks the field that a fault is about, until it is changed, and puts the fault into words. */
function markInvalid({ field, messages }: Fault, form?: HTMLFormElement): string {
  const input = form?.elements.namedItem(field);
  if (!(input instanceof HTMLInputElement)) return `${field} ${messages.join(', ')}.`;

  input.ariaInvalid = 'true';
  input.setAttribute('aria-describedby', 'message');
  input.addEventListener('input', () => input.removeAttribute('aria-invalid'), { once: true });
  input.focus();
  return `${input.labels?.[0]?.textContent.trim()} ${messages.join(', ')}.`;
}
