import { Submit } from '../parts/button.js';
import { Field } from '../parts/field.js';
import { Form } from '../parts/form.js';
import { say, Word } from '../parts/say.js';

/** Takes the code of a mail in place of its link, in the browser that asked for the mail. */
export function MailedCode({ act }: { act: (code: string) => unknown }) {
  return (
    <Form act={({ code = '' }) => act(code)}>
      <MailedCodeField />
      <Submit>{say(Word['parts.continue'])}</Submit>
    </Form>
  );
}

export function MailedCodeField({ autofocus = false }: { autofocus?: boolean }) {
  return (
    <Field
      class="control code"
      label={say(Word['sent.code'])}
      name="code"
      dir="ltr"
      autocomplete="one-time-code"
      autocapitalize="characters"
      spellcheck={false}
      autofocus={autofocus}
      hint={say(Word['sent.codeHint'])}
      faults="InvalidCode"
      remedy={say(Word['sent.codeWrong'])}
    />
  );
}
