import { api } from './api.js';
import { attempt, onSubmit } from './form.js';
import { type Json, knowsPasskeys, postSigned, signWithPasskey } from './passkey.js';
import { find } from './view.js';

/** The service takes an answer to options for ten minutes. */
const RENEWAL_MS = 9 * 60 * 1000;

/**
 * Lets users log in with a passkey: the browser offers it in the field for the address, and there is a button. The page
 * asks for fresh options before the old ones end, and after each failure, so that the next try works.
 */
export function offerPasskeys(
  form: HTMLFormElement,
  field: HTMLElement,
  left: AbortSignal,
  goOn: () => void,
): void {
  if (!knowsPasskeys) return;
  form.hidden = false;
  let waiting = new AbortController();
  let options = ask();
  left.addEventListener('abort', () => waiting.abort());

  onSubmit(form, () =>
    logIn(async () => {
      // A browser has one request for a passkey at a time.
      waiting.abort();
      return signWithPasskey(await options, { signal: left });
    }),
  );

  async function logIn(sign: () => Promise<Json>): Promise<void> {
    try {
      const credential = await sign();
      await postSigned('/auth/passkey/login', await options, credential);
      goOn();
    } catch (problem) {
      if (left.aborted) return;
      renew();
      throw problem;
    }
  }

  function renew(): void {
    waiting.abort();
    waiting = new AbortController();
    options = ask();
  }

  function ask(): Promise<Json> {
    const { signal } = waiting;
    const timer = setTimeout(renew, RENEWAL_MS);
    signal.addEventListener('abort', () => clearTimeout(timer));
    const asked = api('post', '/auth/passkey/options').then((answer) => answer.options);
    offerInField(asked, signal);
    return asked;
  }

  /** Waits until the user chooses a passkey in the field. Until then no failure is worth a word. */
  async function offerInField(asked: Promise<Json>, signal: AbortSignal): Promise<void> {
    try {
      const mediated = { mediation: 'conditional', signal } as const;
      const credential = await signWithPasskey(await asked, mediated);
      attempt(() => logIn(async () => credential), find(document, 'main'), form);
    } catch {
      // Not at once: a browser that refuses by itself would be asked without end.
      field.addEventListener('focus', renew, { once: true, signal });
    }
  }
}
