import { Submit } from '../parts/button.js';
import { Field } from '../parts/field.js';
import { Form } from '../parts/form.js';

/** Takes the code of a mail in place of its link, in the browser that asked for the mail. */
export function MailedCode({ act }: { act: (code: string) => unknown }) {
  return (
    <Form act={({ code = '' }) => act(code)}>
      <MailedCodeField />
      <Submit>Continue</Submit>
    </Form>
  );
}

export function MailedCodeField({ autofocus = false }: { autofocus?: boolean }) {
  return (
    <Field
      class="control code"
      label="Code from the email"
      name="code"
      dir="ltr"
      autocomplete="one-time-code"
      autocapitalize="characters"
      spellcheck={false}
      autofocus={autofocus}
      hint="It does the same as the link, in this browser."
      faults="InvalidCode"
      remedy="Take the newest email, or open its link."
    />
  );
}
