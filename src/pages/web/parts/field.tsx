import type {
  ComponentChildren,
  InputHTMLAttributes,
  SelectHTMLAttributes,
  TextareaHTMLAttributes,
} from 'preact';
import { useState } from 'preact/hooks';
import { facts } from './facts.js';
import { useFault } from './form.js';
import { Icon, WARNING } from './icons.js';
import { say, Word } from './say.js';
import { useUniqueId } from './unique-id.js';

/** What a field begins with is its `defaultValue`: at each rendering a `value` would take the place of what was typed. */
interface FieldProps
  extends Omit<InputHTMLAttributes<HTMLInputElement>, 'name' | 'label' | 'size' | 'value'> {
  label: string;
  name: string;
  /** What a user should know before they type. */
  hint?: ComponentChildren;
  isOptional?: boolean;
  /** Codes of the problems that are about this field, separated by blanks. */
  faults?: string;
  /** What these problems mean here and what to do about them, in place of their own sentence. */
  remedy?: string;
}

/**
 * A line to type in, with its label above and what is wrong with it below. A name is read in its own direction, and what has
 * a type, as an address has, from left to right in every language.
 */
export function Field(props: FieldProps) {
  return (
    <Labelled {...props}>
      {(input) => <input class="control" dir={input.type ? 'ltr' : 'auto'} {...input} />}
    </Labelled>
  );
}

/** A field for a password. It says how long a new one has to be before it is typed, and can show what was typed. */
export function PasswordField({ isNew = false, ...props }: FieldProps & { isNew?: boolean }) {
  const [isShown, setShown] = useState(false);
  const kind = isNew
    ? {
        autocomplete: 'new-password',
        hint: say(Word['parts.field.passwordLength'], { count: facts.passwordMinLength }),
      }
    : { autocomplete: 'current-password' };
  return (
    <Labelled
      {...kind}
      {...props}
      type={isShown ? 'text' : 'password'}
      spellcheck={false}
      autocapitalize="none"
    >
      {(input) => (
        <div class="control with-button">
          <input dir="ltr" {...input} />
          <button
            type="button"
            class="button words"
            aria-label={say(isShown ? Word['parts.field.hideTyped'] : Word['parts.field.showTyped'], {
              label: props.label,
            })}
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          >
            {say(isShown ? Word['parts.field.hide'] : Word['parts.field.show'])}
          </button>
        </div>
      )}
    </Labelled>
  );
}

/** So that a password manager knows whose password it keeps. */
export function Username({ of }: { of: string }) {
  return (
    <input
      class="unseen"
      type="email"
      autocomplete="username"
      value={of}
      readOnly
      tabIndex={-1}
      aria-hidden="true"
    />
  );
}

/**
 * A choice of one of a few, which are in words by their values. It is never required: something is always chosen, and a
 * browser would refuse a first one whose value is empty, such as no preference.
 */
export function Select({
  options,
  selected,
  ...props
}: { label: string; name: string; hint?: string; autofocus?: boolean } & {
  options: Record<string, string>;
  selected?: string;
}) {
  return (
    <Labelled {...props}>
      {(input) => (
        <select
          class="control"
          {...(input as unknown as SelectHTMLAttributes<HTMLSelectElement>)}
          required={false}
        >
          {Object.entries(options).map(([value, words]) => (
            <option key={value} value={value} selected={value === selected}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

/** Several lines of addresses to type or paste. */
export function TextArea({
  defaultValue,
  ...props
}: {
  label: string;
  name: string;
  hint: string;
  isOptional?: boolean;
  defaultValue?: string | undefined;
}) {
  return (
    <Labelled {...props}>
      {(input) => (
        <textarea
          class="control"
          dir="ltr"
          rows={6}
          autofocus
          defaultValue={defaultValue}
          {...(input as unknown as TextareaHTMLAttributes<HTMLTextAreaElement>)}
        />
      )}
    </Labelled>
  );
}

/** A field for six digits of an authenticator app. */
export function TotpField(props: { label: string; name: string; remedy: string; autofocus?: boolean }) {
  return (
    <Labelled {...props} faults="InvalidCode" inputMode="numeric" autocomplete="one-time-code">
      {(input) => <input class="control code" dir="ltr" {...input} />}
    </Labelled>
  );
}

/** A field for a recovery code. */
export function RecoveryCodeField({ autofocus = false }: { autofocus?: boolean }) {
  return (
    <Labelled
      label={say(Word['parts.field.recoveryCode'])}
      name="recovery_code"
      faults="InvalidCode"
      remedy={say(Word['parts.field.recoveryCodeWrong'])}
      autocomplete="off"
      autocapitalize="characters"
      spellcheck={false}
      autofocus={autofocus}
    >
      {(input) => <input class="control code" dir="ltr" {...input} />}
    </Labelled>
  );
}

/** A box to tick. */
export function Choice({
  name,
  children,
  isRequired = false,
  isTicked = false,
}: {
  name: string;
  children: ComponentChildren;
  isRequired?: boolean;
  isTicked?: boolean;
}) {
  return (
    <label class="choice">
      <input type="checkbox" name={name} required={isRequired} defaultChecked={isTicked} />
      <span>{children}</span>
    </label>
  );
}

/** A code without the blanks and hyphens that a user has typed or pasted with it. */
export function typed(code = ''): string {
  return code.replace(/[\s\p{Dash}]/gu, '');
}

function Labelled({
  label,
  hint,
  isOptional = false,
  faults,
  remedy,
  children,
  ...input
}: FieldProps & { children: (input: InputHTMLAttributes<HTMLInputElement>) => ComponentChildren }) {
  const id = useUniqueId(input.name);
  const { fault, forget } = useFault(input.name);
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>
        <span>{label}</span>
        {isOptional && <span class="optional">{say(Word['parts.field.optional'])}</span>}
      </label>
      {children({
        ...input,
        id,
        required: !isOptional,
        onInput: forget,
        'aria-invalid': fault ? 'true' : undefined,
        'aria-describedby': described || undefined,
        ...{ 'data-fault': faults, 'data-remedy': remedy },
      } as InputHTMLAttributes<HTMLInputElement>)}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault && (
        <p class="fault" id={`${id}-fault`} role="alert">
          <Icon lines={WARNING} />
          <span>{fault}</span>
        </p>
      )}
    </div>
  );
}
