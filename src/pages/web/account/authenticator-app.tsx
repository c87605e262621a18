import { useEffect, useState } from 'preact/hooks';
import { Submit } from '../parts/button.js';
import { TotpField, typed } from '../parts/field.js';
import { Form } from '../parts/form.js';
import { Alert } from '../parts/notice.js';
import { linkTo, Rich, say, Word } from '../parts/say.js';

/** Light modules around the code, without which no camera finds it (ISO/IEC 18004 §5.3.8). */
const QUIET_ZONE = 4;

/** How users add their account to an authenticator app; takes a code of it. */
export function AuthenticatorApp({
  secret,
  uri,
  confirm,
}: {
  secret: string;
  uri: string;
  confirm: (code: string) => Promise<void>;
}) {
  return (
    <>
      <p>{say(Word['app.scan'])}</p>
      <QrCode text={uri} />
      <p class="quiet">{say(Word['app.type'])}</p>
      <code class="secret">{inGroups(secret)}</code>
      <p class="quiet">
        <Rich word={Word['app.open']} given={{ link: linkTo(uri) }} />
      </p>
      <Form act={({ code }) => confirm(typed(code))}>
        <TotpField label={say(Word['app.code'])} name="code" remedy={say(Word['app.codeWrong'])} />
        <Submit>{say(Word['app.confirm'])}</Submit>
      </Form>
    </>
  );
}

/** Drawn in the page itself: another site would get to see the secret. The program for it is loaded only here. */
function QrCode({ text }: { text: string }) {
  const [isMissing, setMissing] = useState(false);
  const [code, setCode] = useState<{ path: string; size: number } | null>(null);
  useEffect(() => {
    import('./qr-code.js').then(
      ({ qrCode }) => setCode(qrCode(text)),
      () => setMissing(true),
    );
  }, [text]);
  if (isMissing) return <Alert isWarning>{say(Word['app.noPicture'])}</Alert>;
  const size = (code?.size ?? 49) + 2 * QUIET_ZONE;
  return (
    <svg
      class="qr"
      role="img"
      aria-label={say(Word['app.picture'])}
      viewBox={`${-QUIET_ZONE} ${-QUIET_ZONE} ${size} ${size}`}
    >
      <path fill="currentColor" d={code?.path} shape-rendering="crispEdges" />
    </svg>
  );
}

/** A secret as a user can type it without losing the place. */
function inGroups(secret: string): string {
  return secret.replace(/.{4}(?=.)/g, '$& ');
}
