import type { ComponentChildren } from 'preact';
import { hasPasskeys } from '../../../client/passkeys.js';
import { Submit, type Weight } from './button.js';
import { PasswordField, RecoveryCodeField, TotpField, typed } from './field.js';
import { Form } from './form.js';
import { inWords } from './passkeys.js';

/** What a user proves by who they are, besides a passkey. */
export type Proof = { password: string } | { totp: string } | { recovery_code: string };

const WAYS = ['password', 'totp', 'passkey', 'recovery_code'] as const;
type Way = (typeof WAYS)[number];

/** Forms for the ways in which a user can prove who they are, the first as the main one. */
export function Proofs({
  methods,
  verb,
  prove,
  provePasskey,
  children,
}: {
  methods: string[];
  /** What the buttons say. */
  verb: string;
  prove: (proof: Proof) => unknown;
  provePasskey: () => Promise<unknown>;
  /** What is shown where there is no way that this browser knows. */
  children: ComponentChildren;
}) {
  const ways = WAYS.filter((way) => methods.includes(way) && (way !== 'passkey' || hasPasskeys()));
  if (ways.length === 0) return <>{children}</>;

  const [first] = ways;
  const form = (way: Way) => {
    const isFirst = way === first;
    const weight: Weight = isFirst ? 'main' : 'plain';
    if (way === 'password')
      return (
        <Form act={({ password = '' }) => prove({ password })}>
          <PasswordField
            label="Your password"
            name="password"
            autofocus={isFirst}
            faults="IncorrectPassword"
          />
          <Submit weight={weight}>{verb}</Submit>
        </Form>
      );
    if (way === 'totp')
      return (
        <Form act={({ totp }) => prove({ totp: typed(totp) })}>
          <TotpField
            label="Code from your authenticator app"
            name="totp"
            remedy="Type the next one that the app shows. If that does not work either, let your phone set its clock by itself."
            autofocus={isFirst}
          />
          <Submit weight={weight}>{verb}</Submit>
        </Form>
      );
    if (way === 'passkey')
      return (
        <Form act={() => inWords(provePasskey())}>
          <Submit weight={weight} autofocus={isFirst}>
            Use a passkey
          </Submit>
        </Form>
      );
    return (
      <details open={isFirst}>
        <summary>Use a recovery code</summary>
        <Form act={({ recovery_code }) => prove({ recovery_code: typed(recovery_code) })}>
          <RecoveryCodeField autofocus={isFirst} />
          <Submit weight={weight}>{verb} with this code</Submit>
        </Form>
      </details>
    );
  };

  return (
    <>
      {ways.map((way) => (
        <div key={way}>{form(way)}</div>
      ))}
    </>
  );
}
