import { Ask } from '../parts/dialog.js';
import { addressOf } from '../parts/facts.js';
import { Field } from '../parts/field.js';
import { Refused } from '../parts/form.js';
import { Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import { go } from '../parts/notice.js';
import { Row, Rows } from '../parts/rows.js';
import { Rich, say, Word } from '../parts/say.js';
import type { Account } from './account.js';
import { latchkey } from './service.js';

/** Deletes an account for good; the admin types its address, so that it is the one they mean. */
export function Deletion({ account: { user, sessions, identities } }: { account: Account }) {
  return (
    <Section name="delete-the-account" title={say(Word['account.delete'])}>
      <Rows>
        <Row
          acts={
            <Ask
              button={say(Word['account.delete.button'])}
              label={say(Word['user.delete.named'], { email: user.email })}
              weight="words danger"
              title={say(Word['user.delete.title'], { email: user.email })}
              verb={say(Word['account.delete.verb'])}
              isDangerous
              act={async ({ typed }) => {
                if (typed !== user.email) throw new Refused(say(Word['user.delete.wrong']));
                await latchkey.deleteUser({ id: user.id });
                await go(addressOf('admin/users'), say(Word['user.delete.done'], { email: user.email }));
              }}
            >
              <p>
                {say(Word['user.delete.what'], {
                  sessions: sessions.length,
                  logins: identities.length,
                })}
              </p>
              {user.organizations.map(({ id }) => (
                <OrgGoes key={id} id={id} />
              ))}
              <Field
                label={say(Word['user.delete.type'], { email: user.email })}
                name="typed"
                autocomplete="off"
                spellcheck={false}
                autofocus
              />
            </Ask>
          }
        >
          {say(Word['account.delete.never'])}
        </Row>
      </Rows>
    </Section>
  );
}

/** Says that an organization of the user goes as well, where nobody else belongs to it. */
function OrgGoes({ id }: { id: string }) {
  const org = useLoad(async () => (await latchkey.getOrg({ org_id: id })).org);
  return (
    <Loaded from={org} rows={1}>
      {({ name, member_count }) =>
        member_count === 1 && (
          <p>
            <Rich word={Word['user.delete.organization']} given={{ org: name }} />
          </p>
        )
      }
    </Loaded>
  );
}
