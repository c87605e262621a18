import { WithAddress } from '../parts/address.js';
import { Ask } from '../parts/dialog.js';
import { addressOf, facts } from '../parts/facts.js';
import { Field, Select } from '../parts/field.js';
import { Section } from '../parts/frame.js';
import { late } from '../parts/late.js';
import { LinkedSince } from '../parts/linked-since.js';
import { announce } from '../parts/notice.js';
import { Row, Rows } from '../parts/rows.js';
import { linkTo, Rich, say, Word } from '../parts/say.js';
import { Time } from '../parts/time.js';
import { ROLES, roleInWords, rolesInWords } from '../parts/words.js';
import type { Account } from './account.js';
import { MailsTo, OrgName } from './names.js';
import { latchkey } from './service.js';
import { Standing } from './users.js';

interface Props {
  account: Account;
  again: () => Promise<void>;
}

const ActFor = late(async () => (await import('./act-for.js')).ActFor);

/** Who a user is, and what an admin changes of that. Of their own account an admin changes nothing here. */
export function Profile({ account, isOwn, again }: Props & { isOwn: boolean }) {
  const { user, organizations, identities } = account;
  const mayAct = facts.hasActing && !isOwn && !user.disabled && user.role !== 'sys_admin';
  return (
    <Section name="profile" title={say(Word['user.profile'])}>
      {isOwn && (
        <p class="quiet">
          <Rich word={Word['user.own']} given={{ link: linkTo(addressOf('ui/account')) }} />
        </p>
      )}
      <Rows>
        <Row label={say(Word['field.name'])} acts={!isOwn && <NameChange account={account} again={again} />}>
          <bdi>{user.name ?? say(Word['account.name.none'])}</bdi>
        </Row>
        <Row
          label={say(Word['users.state'])}
          acts={
            !isOwn &&
            (user.disabled ? (
              <Enabling account={account} again={again} />
            ) : (
              <Disabling account={account} again={again} />
            ))
          }
        >
          <Standing {...user} />
        </Row>
        <Row
          label={say(Word['field.email'])}
          acts={
            <>
              <MailsTo email={user.email} />
              {!isOwn && !user.disabled && <EmailChange account={account} again={again} />}
            </>
          }
        >
          <WithAddress>{user.email}</WithAddress>
        </Row>
        <Row label={say(Word['users.role'])} acts={!isOwn && <RoleChange account={account} again={again} />}>
          {roleInWords(user.role)}
        </Row>
        {organizations.length === 0 && (
          <Row label={say(Word['users.organization'])}>{say(Word['user.noOrganization'])}</Row>
        )}
        {organizations.map(({ id, name, role, suspended }) => (
          <Row
            key={id}
            label={say(Word['users.organization'])}
            note={
              id !== user.org_id && (
                <>
                  {roleInWords(role)}
                  {suspended && (
                    <>
                      <br />
                      {say(Word['members.suspended'])}
                    </>
                  )}
                </>
              )
            }
          >
            <OrgName id={id} name={name} />
          </Row>
        ))}
        <Row
          label={say(Word['field.password'])}
          acts={!isOwn && !user.disabled && <PasswordLink account={account} />}
        >
          {say(user.has_password ? Word['user.password.set'] : Word['user.password.none'])}
        </Row>
        <Row
          label={say(Word['users.factor'])}
          note={say(Word['user.factor.what'])}
          acts={!isOwn && user.has_factor && <FactorReset account={account} again={again} />}
        >
          {say(user.has_factor ? Word['user.factor.set'] : Word['user.factor.none'])}
        </Row>
        {identities.map(({ id, provider, issuer, email, created_at }) => (
          <Row
            key={id}
            label={say(Word['user.login'])}
            note={<LinkedSince email={email} day={<Time at={created_at} as="day" />} />}
          >
            {provider ?? issuer}
          </Row>
        ))}
        <Row
          label={say(Word['user.since'])}
          note={
            <Rich word={Word['user.id']} given={{ id: user.id, code: (inner) => <code>{inner}</code> }} />
          }
        >
          <Time at={user.created_at} />
        </Row>
        {mayAct && <ActFor {...account} />}
      </Rows>
    </Section>
  );
}

function NameChange({ account: { user }, again }: Props) {
  return (
    <Ask
      button={say(Word['user.change'])}
      label={say(Word['user.name.change'])}
      title={say(Word['user.name.title'], { email: user.email })}
      verb={say(Word['user.save'])}
      act={async ({ name = null }) => {
        await latchkey.updateUser({ id: user.id, name });
        await again();
        announce(say(Word['user.name.done']));
      }}
    >
      <Field
        label={say(Word['field.name'])}
        name="name"
        autocomplete="off"
        isOptional
        autofocus
        defaultValue={user.name ?? ''}
      />
    </Ask>
  );
}

function EmailChange({ account: { user }, again }: Props) {
  return (
    <Ask
      button={say(Word['user.change'])}
      label={say(Word['user.email.change'])}
      title={say(Word['user.email.title'], { email: user.email })}
      verb={say(user.email_verified ? Word['user.email.send'] : Word['user.email.correct'])}
      act={async ({ email = '' }) => {
        await latchkey.changeUserEmail({ id: user.id, email });
        await again();
        announce(
          say(user.email_verified ? Word['user.email.sent'] : Word['user.email.corrected'], { email }),
        );
      }}
    >
      <Field label={say(Word['account.email.new'])} name="email" type="email" autocomplete="off" autofocus />
      <p class="quiet">
        {say(user.email_verified ? Word['user.email.what'] : Word['user.email.whatUnconfirmed'])}
      </p>
    </Ask>
  );
}

function RoleChange({ account: { user }, again }: Props) {
  const roles = ROLES.filter((role) => user.org_id || role !== 'org_admin');
  return (
    <Ask
      button={say(Word['user.change'])}
      label={say(Word['user.role.change'])}
      title={say(Word['user.role.title'], { email: user.email })}
      verb={say(Word['user.save'])}
      act={async ({ role }) => {
        const changed = await latchkey.updateUser({ id: user.id, role: role as typeof user.role });
        await again();
        announce(say(Word['user.role.done'], { email: user.email, role: changed.user.role }));
      }}
    >
      <Select
        label={say(Word['users.role'])}
        name="role"
        options={rolesInWords(roles)}
        selected={user.role}
      />
      <p class="quiet">{say(Word['user.role.what'])}</p>
      {!user.email_verified && <p class="quiet">{say(Word['user.role.whatUnconfirmed'])}</p>}
    </Ask>
  );
}

function Disabling({ account: { user, sessions }, again }: Props) {
  return (
    <Ask
      button={say(Word['user.disable'])}
      label={say(Word['user.disable.named'])}
      weight="words danger"
      title={say(Word['user.disable.title'], { email: user.email })}
      verb={say(Word['user.disable.verb'])}
      isDangerous
      act={async () => {
        await latchkey.updateUser({ id: user.id, disabled: true });
        await again();
        announce(say(Word['user.disable.done'], { email: user.email, count: sessions.length }));
      }}
    >
      <p>{say(Word['user.disable.what'], { count: sessions.length })}</p>
      <p>{say(Word['user.disable.links'])}</p>
    </Ask>
  );
}

function Enabling({ account: { user }, again }: Props) {
  return (
    <Ask
      button={say(Word['user.enable'])}
      label={say(Word['user.enable.named'])}
      title={say(Word['user.enable.title'], { email: user.email })}
      verb={say(Word['user.enable.verb'])}
      act={async () => {
        await latchkey.updateUser({ id: user.id, disabled: false });
        await again();
        announce(say(Word['user.enable.done'], { email: user.email }));
      }}
    >
      <p>{say(Word['user.enable.what'])}</p>
    </Ask>
  );
}

function PasswordLink({ account: { user } }: Pick<Props, 'account'>) {
  return (
    <Ask
      button={say(Word['user.password.send'])}
      label={say(Word['user.password.sendNamed'])}
      title={say(Word['user.password.title'], { email: user.email })}
      verb={say(Word['user.email.send'])}
      act={async () => {
        await latchkey.forgotPassword({ email: user.email });
        announce(say(Word['user.password.sent'], { email: user.email }));
      }}
    >
      <p>{say(Word['user.password.what'])}</p>
    </Ask>
  );
}

function FactorReset({ account: { user }, again }: Props) {
  return (
    <Ask
      button={say(Word['user.factor.reset'])}
      label={say(Word['user.factor.resetNamed'])}
      weight="words danger"
      title={say(Word['user.factor.title'], { email: user.email })}
      verb={say(Word['user.factor.verb'])}
      isDangerous
      act={async () => {
        await latchkey.resetUserFactors({ id: user.id });
        await again();
        announce(say(Word['user.factor.done'], { email: user.email }));
      }}
    >
      <p>{say(Word['user.factor.resetWhat'])}</p>
      <p>{say(Word['user.factor.ask'])}</p>
    </Ask>
  );
}
