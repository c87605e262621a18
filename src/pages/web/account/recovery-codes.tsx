import { useEffect, useState } from 'preact/hooks';
import { Button, Submit } from '../parts/button.js';
import { Choice } from '../parts/field.js';
import { Form } from '../parts/form.js';
import { say, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';

/** Recovery codes, which the service does not show again, until the user has kept them: the browser asks before it leaves. */
export function RecoveryCodes({
  email,
  codes,
  goOn,
}: {
  email: string;
  codes: string[];
  goOn: () => unknown;
}) {
  const [copied, setCopied] = useState('');
  useEffect(() => {
    addEventListener('beforeunload', askFirst);
    return () => removeEventListener('beforeunload', askFirst);
  }, []);
  const file = [say(Word['codes.file.title'], { email }), say(Word['codes.file.what']), '', ...codes, ''];
  return (
    <>
      <p>{say(Word['codes.what'])}</p>
      <ul class="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div class="buttons">
        <Button onClick={async () => setCopied(await copy(codes.join('\n')))}>
          {say(Word['codes.copy'])}
        </Button>
        {/* No address of a file in memory, which would have to be given back. */}
        <a
          class="button plain"
          download="recovery-codes.txt"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(file.join('\r\n'))}`}
        >
          {say(Word['codes.download'])}
        </a>
      </div>
      <p class="quiet" role="status">
        {copied}
      </p>
      <Form
        act={async () => {
          await latchkey.keepRecoveryCodes();
          removeEventListener('beforeunload', askFirst);
          await goOn();
        }}
      >
        <Choice name="kept" isRequired>
          {say(Word['codes.kept'])}
        </Choice>
        <Submit>{say(Word['parts.continue'])}</Submit>
      </Form>
    </>
  );
}

/** Whether the user never said that they keep the codes that work now. */
export function areUnkept(factors: { recovery_codes_left: number; recovery_codes_kept_at: string | null }) {
  return factors.recovery_codes_left > 0 && factors.recovery_codes_kept_at === null;
}

/** Has the browser ask whether the user wants to leave, in its own words. */
function askFirst(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

async function copy(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return say(Word['codes.copied']);
  } catch {
    return say(Word['codes.notCopied']);
  }
}
