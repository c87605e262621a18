import { WithAddress } from '../parts/address.js';
import { counted } from '../parts/counted.js';
import { Ask } from '../parts/dialog.js';
import { addressOf } from '../parts/facts.js';
import { Field, Select } from '../parts/field.js';
import { Section } from '../parts/frame.js';
import { announce } from '../parts/notice.js';
import { Row, Rows } from '../parts/rows.js';
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

/** Who a user is, and what an admin changes of that. Of their own account an admin changes nothing here. */
export function Profile({ account, isOwn, again }: Props & { isOwn: boolean }) {
  const { user, identities } = account;
  return (
    <Section name="profile" title="Profile">
      {isOwn && (
        <p class="quiet">
          This is you. Your own name, address and factors are in{' '}
          <a href={addressOf('ui/account')}>your account</a>; your role is for another system admin to change.
        </p>
      )}
      <Rows>
        <Row label="Name" acts={!isOwn && <NameChange account={account} again={again} />}>
          <bdi>{user.name ?? 'Not given'}</bdi>
        </Row>
        <Row
          label="State"
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
          label="Email"
          acts={
            <>
              <MailsTo email={user.email} />
              {!isOwn && !user.disabled && <EmailChange account={account} again={again} />}
            </>
          }
        >
          <WithAddress>{user.email}</WithAddress>
        </Row>
        <Row label="Role" acts={!isOwn && <RoleChange account={account} again={again} />}>
          {roleInWords(user.role)}
        </Row>
        <Row label="Organization">
          {user.org_id ? <OrgName id={user.org_id} name={user.org_name} /> : 'None'}
        </Row>
        <Row label="Password" acts={!isOwn && !user.disabled && <PasswordLink account={account} />}>
          {user.has_password ? 'Set' : 'None'}
        </Row>
        <Row
          label="Second factor"
          note="A passkey or an authenticator app."
          acts={!isOwn && user.has_factor && <FactorReset account={account} again={again} />}
        >
          {user.has_factor ? 'Has one' : 'None'}
        </Row>
        {identities.map(({ id, provider, issuer, email, created_at }) => (
          <Row
            key={id}
            label="Linked login"
            note={
              <>
                Linked <Time at={created_at} as="day" />
              </>
            }
          >
            {provider ?? issuer}
            {email && `, ${email}`}
          </Row>
        ))}
        <Row
          label="Account since"
          note={
            <>
              Id <code>{user.id}</code>
            </>
          }
        >
          <Time at={user.created_at} />
        </Row>
      </Rows>
    </Section>
  );
}

function NameChange({ account: { user }, again }: Props) {
  return (
    <Ask
      button="Change"
      label="Change the name"
      title={`Change the name of ${user.email}`}
      verb="Save"
      act={async ({ name = null }) => {
        await latchkey.updateUser({ id: user.id, name });
        await again();
        announce('The name is changed.');
      }}
    >
      <Field
        label="Name"
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
      button="Change"
      label="Change the address"
      title={`Change the address of ${user.email}`}
      verb={user.email_verified ? 'Mail the link' : 'Correct it'}
      act={async ({ email = '' }) => {
        await latchkey.changeUserEmail({ id: user.id, email });
        await again();
        announce(
          user.email_verified
            ? `A link is on its way to ${email}. The address changes once the user opens it.`
            : `The address is ${email} now, and a link to choose a password is on its way there.`,
        );
      }}
    >
      <Field label="New email" name="email" type="email" autocomplete="off" autofocus />
      <p class="quiet">
        {user.email_verified
          ? 'The user opens the link in the new mailbox, and logs in as before. The service warns the present address.'
          : 'The present address was never confirmed: it changes at once. The links that were mailed there, the password and all sessions end.'}
      </p>
    </Ask>
  );
}

function RoleChange({ account: { user }, again }: Props) {
  const roles = ROLES.filter((role) => user.org_id || role !== 'org_admin');
  return (
    <Ask
      button="Change"
      label="Change the role"
      title={`Change the role of ${user.email}`}
      verb="Save"
      act={async ({ role }) => {
        const changed = await latchkey.updateUser({ id: user.id, role: role as typeof user.role });
        await again();
        announce(`${user.email} is ${roleInWords(changed.user.role)} now.`);
      }}
    >
      <Select label="Role" name="role" options={rolesInWords(roles)} selected={user.role} />
      <p class="quiet">
        The new role counts from the next request on. When it is that of an admin, the service mails the user
        and the other admins of that rank.
      </p>
      {!user.email_verified && (
        <p class="quiet">The address was never confirmed: with another role, the password is taken away.</p>
      )}
    </Ask>
  );
}

function Disabling({ account: { user, sessions }, again }: Props) {
  return (
    <Ask
      button="Disable"
      label="Disable the account"
      weight="words danger"
      title={`Disable ${user.email}?`}
      verb="Disable it"
      isDangerous
      act={async () => {
        await latchkey.updateUser({ id: user.id, disabled: true });
        await again();
        announce(`${user.email} is disabled. Sessions that have ended: ${sessions.length}.`);
      }}
    >
      <p>{endOf(sessions)} at once, and the user cannot log in until you enable the account again.</p>
      <p>
        Links that were mailed to the user, and invitations that they sent lately, are taken back for good.
      </p>
    </Ask>
  );
}

function Enabling({ account: { user }, again }: Props) {
  return (
    <Ask
      button="Enable"
      label="Enable the account"
      title={`Enable ${user.email}?`}
      verb="Enable it"
      act={async () => {
        await latchkey.updateUser({ id: user.id, disabled: false });
        await again();
        announce(`${user.email} is enabled, and can log in again.`);
      }}
    >
      <p>
        The user can log in again as before. Sessions, links and invitations that have ended do not come back.
      </p>
    </Ask>
  );
}

function PasswordLink({ account: { user } }: Pick<Props, 'account'>) {
  return (
    <Ask
      button="Mail a link"
      label="Mail a link for a new password"
      title={`Mail ${user.email} a link?`}
      verb="Mail the link"
      act={async () => {
        await latchkey.forgotPassword({ email: user.email });
        announce(`A link for a new password is on its way to ${user.email}.`);
      }}
    >
      <p>
        With the link the user sets a new password, which ends every session. Until then nothing changes. You
        do not see the link.
      </p>
    </Ask>
  );
}

function FactorReset({ account: { user, sessions }, again }: Props) {
  return (
    <Ask
      button="Reset"
      label="Reset the second factors"
      weight="words danger"
      title={`Reset the second factors of ${user.email}?`}
      verb="Reset them"
      isDangerous
      act={async () => {
        await latchkey.resetUserFactors({ id: user.id });
        await again();
        announce(
          `${user.email} no longer has a second factor. Sessions that have ended: ${sessions.length}.`,
        );
      }}
    >
      <p>
        Every passkey, the authenticator app and the recovery codes are removed, and {endOf(sessions)}. The
        service mails the owner.
      </p>
      <p>Make sure first, by another way than mail, that it is the owner who asks.</p>
    </Ask>
  );
}

function endOf({ length }: Account['sessions']): string {
  return `${counted(length, 'session')} ${length === 1 ? 'ends' : 'end'}`;
}
