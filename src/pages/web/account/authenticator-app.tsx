import { useEffect, useState } from 'preact/hooks';
import { Submit } from '../parts/button.js';
import { TotpField, typed } from '../parts/field.js';
import { Form } from '../parts/form.js';
import { Alert } from '../parts/notice.js';

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
      <p>In the app, choose to add an account, and point the camera at this picture.</p>
      <QrCode text={uri} />
      <p class="quiet">
        You cannot scan it? Type this key into the app. If the app asks for a kind, it is “time-based”.
      </p>
      <code class="secret">{inGroups(secret)}</code>
      <p class="quiet">
        The app is on this device? <a href={uri}>Open it here</a>
      </p>
      <Form act={({ code }) => confirm(typed(code))}>
        <TotpField
          label="Code that the app shows now"
          name="code"
          remedy="Type the next one that the app shows. If that does not work either, scan the picture again, or let your phone set its clock by itself."
        />
        <Submit>Confirm the code</Submit>
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
  if (isMissing)
    return <Alert isWarning>The picture did not load. Type the key below, or load this page again.</Alert>;
  const size = (code?.size ?? 49) + 2 * QUIET_ZONE;
  return (
    <svg
      class="qr"
      role="img"
      aria-label="QR code with the key below"
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
