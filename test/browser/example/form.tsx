import { isProblem, type LatchkeyProblem } from 'latchkey-client';
import { type ReactNode, type SyntheticEvent, useState } from 'react';

export type Fields = Record<string, string>;

/** A form that says in words why the service, or the browser, refused. */
export function Form({
  act,
  send,
  problem = null,
  children,
}: {
  act: string;
  send(fields: Fields): unknown;
  /** What a machine of `latchkey-client/react` says of the last attempt. */
  problem?: LatchkeyProblem | null;
  children?: ReactNode;
}) {
  const [fault, setFault] = useState('');

  /** Not as the form's `action`, after which React empties the fields. */
  async function submit(event: SyntheticEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(event.currentTarget)) as Fields;
    setFault('');
    try {
      await send(fields);
    } catch (error) {
      if (isProblem(error)) setFault(inWords(error));
      else if (error instanceof DOMException) setFault('You canceled, or it took too long.');
      else throw error;
    }
  }

  return (
    <form onSubmit={submit}>
      {children}
      <button type="submit">{act}</button>
      <p role="alert">{problem ? inWords(problem) : fault}</p>
    </form>
  );
}

function inWords({ message, errors }: LatchkeyProblem): string {
  return [message, ...errors.map(({ field, messages }) => `${field} ${messages.join(', ')}`)].join(' ');
}

export function Field({ label, ...input }: { label: string; name: string } & React.ComponentProps<'input'>) {
  return (
    <label>
      {label} <input {...input} />
    </label>
  );
}
