import { useState } from 'preact/hooks';
import { Submit } from '../parts/button.js';
import { base, facts } from '../parts/facts.js';
import { Choice, Select } from '../parts/field.js';
import { Form } from '../parts/form.js';
import { Loaded, useLoad } from '../parts/load.js';
import { announce } from '../parts/notice.js';
import { say, Word } from '../parts/say.js';
import { latchkey } from './service.js';

type Known = Awaited<ReturnType<typeof latchkey.listMailKinds>>;
type Kind = Known['kinds'][number];

/** What is shown. */
interface Chosen {
  kind: Kind;
  language: string;
}

/** Every kind of email in every language, as it would be, and the way to have one sent to oneself. */
export function MailPreview({ email, again }: { email: string; again: () => Promise<void> }) {
  const known = useLoad(() => latchkey.listMailKinds());
  return (
    <Loaded from={known} rows={2}>
      {(all) => <Chooser {...all} email={email} again={again} />}
    </Loaded>
  );
}

function Chooser({ kinds, languages, email, again }: Known & { email: string; again: () => Promise<void> }) {
  const { lang } = document.documentElement;
  const [chosen, setChosen] = useState<Chosen>({
    kind: 'verification',
    language: languages.includes(lang) ? lang : (languages[0] as string),
  });
  const [isNarrow, setNarrow] = useState(false);
  const names = new Map(facts.languages);

  async function send(): Promise<void> {
    await latchkey.testMail(chosen);
    await again();
    announce(say(Word['mailPreview.sent'], { email }));
  }

  /** Shows at once what was chosen. */
  function change({ target }: Event): void {
    const { form } = target as HTMLSelectElement;
    const { narrow, ...sent } = Object.fromEntries(new FormData(form as HTMLFormElement));
    setChosen({ ...chosen, ...(sent as Partial<Chosen>) });
    setNarrow(narrow !== undefined);
  }

  return (
    <>
      <p class="quiet">{say(Word['mailPreview.about'])}</p>
      <Form act={send}>
        <div onChange={change}>
          <div class="filters">
            <Select
              label={say(Word['mailPreview.kind'])}
              name="kind"
              options={Object.fromEntries(kinds.map((kind) => [kind, kind]))}
              selected={chosen.kind}
            />
            {languages.length > 1 && (
              <Select
                label={say(Word['frame.language'])}
                name="language"
                options={Object.fromEntries(languages.map((tag) => [tag, names.get(tag) ?? tag]))}
                selected={chosen.language}
              />
            )}
            <Submit weight="plain">{say(Word['mailPreview.send'])}</Submit>
          </div>
          <Choice name="narrow">{say(Word['mailPreview.narrow'])}</Choice>
        </div>
      </Form>
      <Shown key={`${chosen.kind} ${chosen.language}`} {...chosen} isNarrow={isNarrow} />
    </>
  );
}

/** Nothing in the frame runs, and its links open windows of their own. */
function Shown({ kind, language, isNarrow }: Chosen & { isNarrow: boolean }) {
  const preview = useLoad(async () => (await latchkey.previewMail({ kind, language })).preview);
  const query = new URLSearchParams({ kind, language });
  return (
    <Loaded from={preview} rows={8}>
      {({ subject, text, direction }) => (
        <div class="mail-preview">
          <h3 lang={language} dir={direction}>
            {subject}
          </h3>
          <iframe
            title={subject}
            class={isNarrow ? 'narrow' : ''}
            sandbox="allow-popups allow-popups-to-escape-sandbox"
            src={new URL(`mails/preview.html?${query}`, base).href}
          />
          <pre lang={language} dir={direction}>
            {text}
          </pre>
        </div>
      )}
    </Loaded>
  );
}
