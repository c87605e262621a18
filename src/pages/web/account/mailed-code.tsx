import { Submit } from '../parts/button.js';
import { Field } from '../parts/field.js';
import { Form } from '../parts/form.js';
import { say, Word } from '../parts/say.js';

/** What is said of a code: before it is typed, and when it is wrong. */
export interface CodeWords {
  hint?: string;
  remedy?: string;
}

/** Takes the code of a mail in place of its link, in the browser that asked for the mail. */
export function MailedCode({ act, ...words }: { act: (code: string) => unknown } & CodeWords) {
  return (
    <Form act={({ code = '' }) => act(code)}>
      <MailedCodeField {...words} />
      <Submit>{say(Word['parts.continue'])}</Submit>
    </Form>
  );
}

export function MailedCodeField({
  autofocus = false,
  hint = say(Word['sent.codeHint']),
  remedy = say(Word['sent.codeWrong']),
}: { autofocus?: boolean } & CodeWords) {
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
      hint={hint}
      faults="InvalidCode"
      remedy={remedy}
    />
  );
}
