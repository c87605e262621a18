import { Ask } from '../parts/dialog.js';
import { addressOf } from '../parts/facts.js';
import { Choice, Field, Select } from '../parts/field.js';
import { go } from '../parts/notice.js';
import { Row } from '../parts/rows.js';
import { loadLateWords, say, Word } from '../parts/say.js';
import type { Account } from './account.js';
import { latchkey } from './service.js';

// Before any of it is shown.
await loadLateWords();

/** What the service takes for no organization. */
const NONE = 'none';

/** As long as a reason may be. */
const MOST_SIGNS = 200;

/** Lets a system admin act for a user, from the pages of the account on. */
export function ActFor({ user, organizations }: Pick<Account, 'user' | 'organizations'>) {
  const { id, email } = user;
  const open = organizations.filter(({ suspended }) => !suspended);
  return (
    <Row
      label={say(Word['acting.title'])}
      acts={
        <Ask
          button={say(Word['acting.start'])}
          title={say(Word['acting.start.title'], { email })}
          verb={say(Word['acting.start.verb'])}
          act={async ({ reason = '', org_id = NONE, write }) => {
            await latchkey.call('POST /users/{id}/act', { id, reason, org_id, write: write !== undefined });
            await go(addressOf('ui/account'), say(Word['acting.started'], { email }));
          }}
        >
          <p>{say(Word['acting.start.what'])}</p>
          <Field
            label={say(Word['acting.reason'])}
            hint={say(Word['acting.reason.hint'])}
            name="reason"
            maxLength={MOST_SIGNS}
            autocomplete="off"
            autofocus
          />
          {open.length > 0 && (
            <Select
              label={say(Word['users.organization'])}
              hint={say(Word['acting.org.hint'])}
              name="org_id"
              options={{
                [NONE]: say(Word['acting.org.none']),
                ...Object.fromEntries(open.map((each) => [each.id, each.name ?? each.id])),
              }}
              selected={open.length === 1 ? String(open[0]?.id) : NONE}
            />
          )}
          <Choice name="write">{say(Word['acting.start.write'])}</Choice>
          <p class="quiet">{say(Word['acting.start.limits'])}</p>
        </Ask>
      }
    >
      {say(Word['acting.start.row'])}
    </Row>
  );
}
