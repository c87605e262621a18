import { counted } from '../parts/counted.js';
import { Ask } from '../parts/dialog.js';
import { addressOf } from '../parts/facts.js';
import { Field } from '../parts/field.js';
import { Refused } from '../parts/form.js';
import { Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import { go } from '../parts/notice.js';
import { Row, Rows } from '../parts/rows.js';
import type { Account } from './account.js';
import { latchkey } from './service.js';

/** Deletes an account for good; the admin types its address, so that it is the one they mean. */
export function Deletion({ account: { user, sessions, identities } }: { account: Account }) {
  return (
    <Section name="delete-the-account" title="Delete the account">
      <Rows>
        <Row
          acts={
            <Ask
              button="Delete"
              label={`Delete ${user.email}`}
              weight="words danger"
              title={`Delete ${user.email}?`}
              verb="Delete it for good"
              isDangerous
              act={async ({ typed }) => {
                if (typed !== user.email) throw new Refused('That is not the address. Nothing was deleted.');
                await latchkey.deleteUser({ id: user.id });
                await go(addressOf('admin/users'), `The account ${user.email} is deleted.`);
              }}
            >
              <p>
                The account goes at once, with {counted(sessions.length, 'session')} and{' '}
                {counted(identities.length, 'linked login')}, and cannot be brought back. The service mails
                the owner.
              </p>
              {user.org_id && <OrgGoes id={user.org_id} />}
              <Field
                label={`Type ${user.email} to confirm`}
                name="typed"
                autocomplete="off"
                spellcheck={false}
                autofocus
              />
            </Ask>
          }
        >
          This cannot be undone.
        </Row>
      </Rows>
    </Section>
  );
}

/** Says that the organization of the user goes as well, where nobody else belongs to it. */
function OrgGoes({ id }: { id: string }) {
  const org = useLoad(async () => (await latchkey.getOrg({ org_id: id })).org);
  return (
    <Loaded from={org} rows={1}>
      {({ name, member_count }) =>
        member_count === 1 && (
          <p>
            <bdi>{name}</bdi> has no other member, and is deleted too.
          </p>
        )
      }
    </Loaded>
  );
}
