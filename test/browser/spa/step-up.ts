import { api, type Problem } from './api.js';
import { offerWays, typed } from './codes.js';
import { onSubmit } from './form.js';
import { postSigned, signWithPasskey } from './passkey.js';
import { find } from './view.js';

const CANCELED: Problem = {
  code: 'Canceled',
  detail: 'Nothing was changed, because you did not confirm that it is you.',
};
const LOGIN_NEEDED: Problem = { code: 'Unauthenticated', detail: 'Please log in again.' };

let proof: Promise<void> | null = null;

/** Lets the user prove who they are, once for all requests that wait for it. Throws a problem when they do not. */
export function stepUp(methods: string[]): Promise<void> {
  proof ??= ask(methods).finally(() => {
    proof = null;
  });
  return proof;
}

/** Opens the dialog; it is taken away afterwards, or password managers would find its field on every page. */
async function ask(methods: string[]): Promise<void> {
  const { content } = find<HTMLTemplateElement>(document, 'template#step-up');
  const dialog = find<HTMLDialogElement>(content.cloneNode(true) as DocumentFragment, 'dialog');
  const closed = new AbortController();
  dialog.addEventListener('close', () => closed.abort());
  listen(dialog, closed.signal);
  offer(dialog, methods);
  document.body.append(dialog);
  dialog.showModal();
  await new Promise((resolve) => closed.signal.addEventListener('abort', resolve));
  dialog.remove();
  if (dialog.returnValue === 'login') throw LOGIN_NEEDED;
  if (dialog.returnValue !== 'proven') throw CANCELED;
}

/** Shows the ways that there are. A login is the way where there is no other. */
function offer(dialog: HTMLDialogElement, methods: string[]): void {
  find(dialog, '#prove-by-login').hidden = offerWays(dialog, methods);
}

function listen(dialog: HTMLDialogElement, closed: AbortSignal): void {
  onSubmit(find(dialog, '#prove-by-password'), ({ password = '' }) => prove(() => send({ password })));
  onSubmit(find(dialog, '#prove-by-totp'), ({ totp }) => prove(() => send({ totp: typed(totp) })));
  onSubmit(find(dialog, '#prove-by-recovery-code'), ({ recovery_code }) =>
    prove(() => send({ recovery_code: typed(recovery_code) })),
  );
  onSubmit(find(dialog, '#prove-by-passkey'), () =>
    prove(async () => {
      const { options } = await api('post', '/auth/step-up/options');
      const credential = await signWithPasskey(options, { signal: closed });
      await postSigned('/auth/step-up', options, credential);
    }),
  );

  async function send(
    body: { password: string } | { totp: string } | { recovery_code: string },
  ): Promise<void> {
    await api('post', '/auth/step-up', { body }, null);
  }

  async function prove(post: () => Promise<void>): Promise<void> {
    try {
      await post();
      dialog.close('proven');
    } catch (problem) {
      if (closed.aborted) return;
      const { code, methods = [] } = problem as Problem;
      if (code === 'Unauthenticated') return dialog.close('login');
      // Another tab has removed what the user wanted to prove it by.
      if (code === 'StepUpRequired') offer(dialog, methods);
      throw problem;
    }
  }
}
