import type { ComponentChildren } from 'preact';
import { hasPasskeys } from '../../../client/passkeys.js';
import { Submit, type Weight } from './button.js';
import { PasswordField, RecoveryCodeField, TotpField, typed } from './field.js';
import { Form } from './form.js';
import { inWords } from './passkeys.js';
import { say, Word } from './say.js';

/** What a user proves by who they are, besides a passkey. */
export type Proof = { password: string } | { totp: string } | { recovery_code: string };

const WAYS = ['password', 'totp', 'passkey', 'recovery_code'] as const;
type Way = (typeof WAYS)[number];

/** Forms for the ways in which a user can prove who they are, the first as the main one. */
export function Proofs({
  methods,
  purpose,
  prove,
  provePasskey,
  children,
}: {
  methods: string[];
  /** What the proof is for. */
  purpose: 'confirm' | 'login';
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
            label={say(Word['parts.proof.password'])}
            name="password"
            autofocus={isFirst}
            faults="IncorrectPassword"
          />
          <Submit weight={weight}>{say(Word['parts.proof.submit'], { purpose })}</Submit>
        </Form>
      );
    if (way === 'totp')
      return (
        <Form act={({ totp }) => prove({ totp: typed(totp) })}>
          <TotpField
            label={say(Word['parts.proof.totp'])}
            name="totp"
            remedy={say(Word['parts.proof.totpWrong'])}
            autofocus={isFirst}
          />
          <Submit weight={weight}>{say(Word['parts.proof.submit'], { purpose })}</Submit>
        </Form>
      );
    if (way === 'passkey')
      return (
        <Form act={() => inWords(provePasskey())}>
          <Submit weight={weight} autofocus={isFirst}>
            {say(Word['parts.proof.passkey'])}
          </Submit>
        </Form>
      );
    return (
      <details open={isFirst}>
        <summary>{say(Word['parts.proof.recoveryCode'])}</summary>
        <Form act={({ recovery_code }) => prove({ recovery_code: typed(recovery_code) })}>
          <RecoveryCodeField autofocus={isFirst} />
          <Submit weight={weight}>{say(Word['parts.proof.submitRecoveryCode'], { purpose })}</Submit>
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
