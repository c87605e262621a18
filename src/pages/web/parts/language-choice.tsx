import { useRef, useState } from 'preact/hooks';
import type { Call } from '../../../client/call.js';
import { facts } from './facts.js';
import { Form } from './form.js';
import { say, Word } from './say.js';
import { latchkey } from './service.js';

/** The languages to choose from, where there are several. The page loads again in the one that is chosen. */
export function LanguageChoice() {
  const select = useRef<HTMLSelectElement>(null);
  const [isBusy, setBusy] = useState(false);
  if (!facts.languages) return null;

  const { lang } = document.documentElement;
  async function change({ tag = lang }): Promise<void> {
    setBusy(true);
    try {
      await keep(tag);
    } catch (error) {
      setBusy(false);
      if (select.current) select.current.value = lang;
      throw error;
    }
    await showAgain();
  }

  return (
    <Form act={change}>
      <select
        ref={select}
        class="control"
        name="tag"
        // Firefox would choose what was chosen before the page loaded again.
        autocomplete="off"
        aria-label={say(Word['frame.language'])}
        title={say(Word['frame.language.how'])}
        onChange={({ currentTarget }) => currentTarget.form?.requestSubmit()}
      >
        {facts.languages.map(([tag, name]) => (
          <option key={tag} value={tag} lang={tag} selected={tag === lang}>
            {name}
          </option>
        ))}
      </select>
      <p class="unseen" role="status">
        {isBusy && say(Word['parts.loading'])}
      </p>
    </Form>
  );
}

/** Keeps the language for this browser. The route is one of the pages, which the contract of the API does not have. */
async function keep(language: string): Promise<void> {
  await (latchkey.call as unknown as Call)('PUT /ui/language', { language });
}

/** Loads this page again. A language that its address asks for would come before the one that was chosen. */
function showAgain(): Promise<never> {
  const here = new URL(location.href);
  here.searchParams.delete('ui_locales');
  if (here.search === location.search) location.reload();
  else location.replace(here);
  // The choice stays busy until the page is there again.
  return new Promise(() => {});
}
