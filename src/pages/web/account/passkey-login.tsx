import { useEffect, useState } from 'preact/hooks';
import { loginWithPasskey } from '../../../client/passkeys.js';
import { isProblem } from '../../../client/problem.js';
import { Submit } from '../parts/button.js';
import { Form } from '../parts/form.js';
import { Alert } from '../parts/notice.js';
import { inWords } from '../parts/passkeys.js';
import { problemInWords } from '../parts/problem-words.js';
import { say, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';
import { goOn } from './go-on.js';

/**
 * Lets users log in with a passkey: the browser offers it in the field for the address, and there is a button. Both
 * questions end when the user leaves.
 */
export function PasskeyLogin() {
  const [left] = useState(() => new AbortController());
  const [failure, setFailure] = useState('');
  const { signal } = left;
  useEffect(() => {
    addEventListener('pagehide', () => left.abort());
    offerInField();
  }, []);

  /** Waits until the user chooses a passkey in the field. The user has asked for nothing, so no error of the browser is shown. */
  async function offerInField(): Promise<void> {
    try {
      await goOn(await loginWithPasskey(latchkey, { conditional: true, signal }));
    } catch (error) {
      if (isProblem(error)) setFailure(problemInWords(error));
      // Not at once: the page would ask a browser that refuses by itself again and again.
      const field = document.querySelector('[autocomplete~="webauthn"]');
      field?.addEventListener('focus', offerInField, { once: true, signal });
    }
  }

  async function logIn(): Promise<void> {
    setFailure('');
    await goOn(await inWords(loginWithPasskey(latchkey, { signal })));
  }

  return (
    <>
      {failure && <Alert>{failure}</Alert>}
      <Form act={logIn}>
        <Submit weight="plain">{say(Word['login.passkey'])}</Submit>
      </Form>
    </>
  );
}
