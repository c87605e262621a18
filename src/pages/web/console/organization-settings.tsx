import { Ask } from '../parts/dialog.js';
import { addressOf, facts } from '../parts/facts.js';
import { Field } from '../parts/field.js';
import { Refused } from '../parts/form.js';
import { Section } from '../parts/frame.js';
import { chosen, LanguageSelect, languageOf } from '../parts/language-select.js';
import { Loaded, useLoad } from '../parts/load.js';
import { announce, go } from '../parts/notice.js';
import { Row, Rows } from '../parts/rows.js';
import { say, Word } from '../parts/say.js';
import { type User, useSession } from '../parts/session.js';
import { SetUpFactor } from '../parts/set-up-factor.js';
import { Time } from '../parts/time.js';
import { plain } from '../parts/words.js';
import type { Org } from './schemas.js';
import { latchkey } from './service.js';

/** The most that one request lists. An organization has at most as many pending invitations. */
const MOST = 100;

/** What an organization is called, what it asks of its members, and its end. */
export function OrganizationSettings({
  org,
  user,
  onChange,
}: {
  org: Org;
  user: User;
  onChange: () => Promise<void>;
}) {
  const { id: org_id, name, member_count, created_at } = org;
  return (
    <Section name="settings" title={say(Word['organization.settings'])}>
      <Rows>
        <Row
          label={say(Word['organization.name'])}
          acts={
            <Ask
              button={say(Word['organization.rename'])}
              title={say(Word['organization.rename.title'], { org: plain(name) })}
              verb={say(Word['user.save'])}
              act={async ({ name: other = '' }) => {
                await latchkey.updateOrg({ org_id, name: other });
                await onChange();
                announce(say(Word['organization.rename.done'], { org: plain(name), name: other }));
              }}
            >
              <Field
                label={say(Word['organization.name'])}
                name="name"
                defaultValue={name}
                autocomplete="off"
                autofocus
              />
            </Ask>
          }
        >
          <bdi>{name}</bdi>
        </Row>
        <Language org={org} onChange={onChange} />
        <SecondFactor org={org} onChange={onChange} />
        <Row label={say(Word['users.created'])}>
          <Time at={created_at} as="day" />
        </Row>
        {user.role === 'sys_admin' && (
          <Row
            acts={
              <Ask
                button={say(Word['organization.delete.button'])}
                label={say(Word['organization.delete.named'], { org: plain(name) })}
                weight="words danger"
                title={say(Word['organization.delete.title'], { org: plain(name) })}
                verb={say(Word['account.delete.verb'])}
                isDangerous
                act={async ({ typed = '' }) => {
                  if (asShown(typed) !== asShown(name))
                    throw new Refused(say(Word['organization.delete.wrong']));
                  await latchkey.deleteOrg({ org_id });
                  await go(
                    addressOf('admin/organizations'),
                    say(Word['organization.delete.done'], { org: plain(name) }),
                  );
                }}
              >
                <Consequences org_id={org_id} members={member_count} />
                <Field
                  label={say(Word['organization.delete.type'], { org: plain(name) })}
                  name="typed"
                  autocomplete="off"
                  autofocus
                />
              </Ask>
            }
          >
            {say(Word['organization.delete'])}
          </Row>
        )}
      </Rows>
    </Section>
  );
}

/** Whether members must have a second factor. The service lets only an admin require one who has logged in with one. */
function SecondFactor({
  org: { id: org_id, second_factor_required },
  onChange,
}: {
  org: Org;
  onChange: () => Promise<void>;
}) {
  const session = useSession();
  const isWeak = session.status === 'in' && session.session.aal === 1;
  if (isWeak && !second_factor_required)
    return (
      <Row
        label={say(Word['users.factor'])}
        note={say(Word['organization.factor.first'])}
        acts={<SetUpFactor />}
      >
        {say(Word['organization.factor.optional'])}
      </Row>
    );
  return (
    <Row
      label={say(Word['users.factor'])}
      acts={
        <Ask
          button={say(
            second_factor_required
              ? Word['organization.factor.release']
              : Word['organization.factor.require'],
          )}
          title={say(
            second_factor_required
              ? Word['organization.factor.release.title']
              : Word['organization.factor.require.title'],
          )}
          isDangerous={second_factor_required}
          act={async () => {
            await latchkey.updateOrg({ org_id, second_factor_required: !second_factor_required });
            await onChange();
            announce(
              say(
                second_factor_required
                  ? Word['organization.factor.release.done']
                  : Word['organization.factor.require.done'],
              ),
            );
          }}
        >
          {second_factor_required ? (
            <p>{say(Word['organization.factor.release.what'])}</p>
          ) : (
            <WithoutFactor org_id={org_id} />
          )}
        </Ask>
      }
    >
      {say(
        second_factor_required ? Word['organization.factor.required'] : Word['organization.factor.optional'],
      )}
    </Row>
  );
}

/** A page shows several blanks as one, and a label no sign that turns the text. */
function asShown(name: string): string {
  return plain(name).normalize().replace(/\s+/g, ' ').trim();
}

/** What it means to require a second factor, in numbers. */
function WithoutFactor({ org_id }: { org_id: string }) {
  const members = useLoad(() => latchkey.listMembers({ org_id, limit: MOST }));
  return (
    <Loaded from={members} rows={1}>
      {({ data, next_cursor }) => {
        const without = data.filter(({ has_factor }) => !has_factor).length;
        return (
          <p>
            {say(Word['organization.factor.require.what'], {
              count: without,
              extent: next_cursor === null ? 'exact' : 'atLeast',
            })}
          </p>
        );
      }}
    </Loaded>
  );
}

function Consequences({ org_id, members }: { org_id: string; members: number }) {
  const pending = useLoad(() => latchkey.listInvitations({ org_id, status: 'pending', limit: MOST }));
  return (
    <Loaded from={pending} rows={1}>
      {({ data }) => (
        <>
          <p>{say(Word['organization.delete.members'], { count: members })}</p>
          <p>{say(Word['organization.delete.invitations'], { count: data.length })}</p>
        </>
      )}
    </Loaded>
  );
}

/** The language of mails to members of whom none is known, where there is a choice. */
function Language({ org: { id: org_id, locale }, onChange }: { org: Org; onChange: () => Promise<void> }) {
  if (!facts.languages) return null;
  const [tag = '', name] = languageOf(locale) ?? [];
  return (
    <Row
      label={say(Word['organization.language'])}
      acts={
        <Ask
          button={say(Word['account.change'])}
          label={say(Word['organization.language.change'])}
          title={say(Word['organization.language.change'])}
          verb={say(Word['user.save'])}
          act={async ({ locale: wanted }) => {
            await latchkey.updateOrg({ org_id, ...chosen(wanted, tag) });
            await onChange();
            announce(say(Word['organization.language.done']));
          }}
        >
          <p>{say(Word['organization.language.about'])}</p>
          <LanguageSelect label={say(Word['frame.language'])} selected={tag} />
        </Ask>
      }
    >
      {name ?? say(Word['parts.anyLanguage'])}
    </Row>
  );
}
