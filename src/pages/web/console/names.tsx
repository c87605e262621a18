import { WithAddress } from '../parts/address.js';
import { ButtonLink } from '../parts/button.js';
import { addressOf } from '../parts/facts.js';
import { type Names, shortId } from '../parts/names.js';
import { strangerInWords } from '../parts/words.js';

/** The address of a user, which for a system admin leads to their screen. */
export function Person({ id, names }: { id: string; names: Names }) {
  const email = names.people.get(id);
  if (email === undefined) return <span class="quiet">{strangerInWords(id, names)}</span>;
  const shown = <WithAddress>{email}</WithAddress>;
  return names.isForSystem ? <a href={addressOf(`admin/user?id=${id}`)}>{shown}</a> : <span>{shown}</span>;
}

/** The name of an organization, which leads to its screen. */
export function OrgName({ id, names: { orgs } }: { id: string; names: Names }) {
  const name = orgs.get(id);
  if (name === undefined) return <span class="quiet">{`deleted, ${shortId(id)}`}</span>;
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
      aria-label={`Mails to ${email}`}
    >
      Mails
    </ButtonLink>
  );
}
