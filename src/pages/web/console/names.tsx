import { WithAddress } from '../parts/address.js';
import { ButtonLink } from '../parts/button.js';
import { addressOf } from '../parts/facts.js';
import { say, Word } from '../parts/say.js';
import type { User } from '../parts/session.js';
import { shortId, strangerInWords } from '../parts/words.js';

/** The address of a user, as far as the reader may know it. A system admin gets to their screen by it. */
export function Person({ id, email, reader }: { id: string; email: string | null; reader: User }) {
  const isForSystem = reader.role === 'sys_admin';
  if (email === null) return <span class="quiet">{strangerInWords(id, reader)}</span>;
  const shown = <WithAddress>{email}</WithAddress>;
  return isForSystem ? <a href={addressOf(`admin/user?id=${id}`)}>{shown}</a> : <span>{shown}</span>;
}

/** The name of an organization, which leads to its screen. */
export function OrgName({ id, name }: { id: string; name: string | null }) {
  if (name === null)
    return <span class="quiet">{say(Word['organization.deleted'], { id: shortId(id) })}</span>;
  return (
    <a href={addressOf(`admin/organization?id=${id}`)}>
      <bdi>{name}</bdi>
    </a>
  );
}

/** The way of a system admin to what was mailed to an address, and what became of it. */
export function MailsTo({ email }: { email: string }) {
  return (
    <ButtonLink
      weight="words"
      href={addressOf(`admin/mail?${new URLSearchParams({ search: email })}`)}
      aria-label={say(Word['user.emailsTo'], { email })}
    >
      {say(Word['user.emails'])}
    </ButtonLink>
  );
}
