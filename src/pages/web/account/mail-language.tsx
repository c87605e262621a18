import { Ask } from '../parts/dialog.js';
import { addressOf } from '../parts/facts.js';
import { Select } from '../parts/field.js';
import { chosen, LanguageSelect, languageOf } from '../parts/language-select.js';
import { go } from '../parts/notice.js';
import { Row } from '../parts/rows.js';
import { say, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';
import type { User } from '../parts/session.js';
import { timeZone } from '../parts/time-zone.js';

/** The language of mails to a user, and the time zone that they state instants by. */
export function MailLanguage({ user: { locale, time_zone } }: { user: User }) {
  const [tag, language] = languageOf(locale) ?? [];
  const zones = [...new Set([time_zone, timeZone().time_zone])].filter((zone) => !!zone) as string[];
  return (
    <Row
      label={say(Word['account.mails'])}
      acts={
        <Ask
          button={say(Word['account.change'])}
          label={say(Word['account.mails.change'])}
          title={say(Word['account.mails.change'])}
          verb={say(Word['account.mails.save'])}
          act={async ({ locale: wanted, zone = '' }) => {
            await latchkey.updateMe({ ...chosen(wanted, tag), time_zone: zone || null });
            await go(addressOf('ui/account'), say(Word['account.mails.done']));
          }}
        >
          <LanguageSelect label={say(Word['frame.language'])} selected={tag ?? ''} />
          <Select
            label={say(Word['account.mails.zone'])}
            name="zone"
            options={{ '': 'UTC', ...Object.fromEntries(zones.map((zone) => [zone, zone])) }}
            selected={time_zone ?? ''}
          />
        </Ask>
      }
    >
      <bdi>{[language, time_zone ?? 'UTC'].filter(Boolean).join(' · ')}</bdi>
    </Row>
  );
}
