import type { ComponentChildren } from 'preact';
import { Acting } from '../parts/acting.js';
import { ButtonLink } from '../parts/button.js';
import { ByMail } from '../parts/by-mail.js';
import { DEVICE } from '../parts/device.js';
import { addressOf, facts } from '../parts/facts.js';
import { figure } from '../parts/figure.js';
import { Form } from '../parts/form.js';
import { Heading, OwnLinks, Product, SkipLink, useLogin, WhenIn } from '../parts/frame.js';
import { BUILDING, CARD, CHECK, CLOCK, Icon, LEAVE, MAIL, PERSON } from '../parts/icons.js';
import { LanguageChoice } from '../parts/language-choice.js';
import { WayBack } from '../parts/load.js';
import { Notice } from '../parts/notice.js';
import { Rich, say, Word } from '../parts/say.js';
import { logOut, type OrganizationOfUser, type User, userIn } from '../parts/session.js';
import { StepUp } from '../parts/step-up.js';
import { plain } from '../parts/words.js';
import { MOST_MAILS, useOutbox } from './outbox-now.js';
import {
  addressIn,
  administered,
  Choice,
  here,
  PresentOrganization,
  presentOrgId,
} from './own-organizations.js';

/** A section of the console: its address, its name, and for whom it is. */
type Section = [path: string, name: SectionName, icon: string, audience: Audience];

type SectionName =
  | 'overview'
  | 'organizations'
  | 'organization'
  | 'users'
  | 'activity'
  | 'mail'
  | 'billing'
  | 'system';

/** Who is logged in, as they are in the organization that the address names; and all that they belong to. */
interface Reader {
  user: User;
  organizations: OrganizationOfUser[];
}

/** A system admin sees everything; the admin of an organization sees that organization. */
type Audience = 'sys_admin' | 'org_admin';

const SECTIONS: Section[] = [
  ['admin', 'overview', CHECK, 'sys_admin'],
  ['admin/organizations', 'organizations', BUILDING, 'sys_admin'],
  ['admin/organization', 'organization', BUILDING, 'org_admin'],
  ['admin/users', 'users', PERSON, 'sys_admin'],
  ['admin/activity', 'activity', CLOCK, 'org_admin'],
  ['admin/mail', 'mail', MAIL, 'sys_admin'],
  ['admin/billing', 'billing', CARD, 'sys_admin'],
  ['admin/system', 'system', DEVICE, 'sys_admin'],
];

/** The section that a screen of one thing belongs to. */
const PARENTS: Record<string, string> = { organization: 'admin/organizations', user: 'admin/users' };

/**
 * A screen of the console: the sections at the side, what was done last, the heading with its one main act, and the
 * content. To a user whom the screen is not for it says so instead. An admin who belongs to several organizations chooses one of
 * those they administer, where the address names none.
 */
export function Screen({
  title,
  audience,
  act,
  children,
}: {
  title: string;
  audience: Audience;
  act?: ComponentChildren;
  children: (user: User) => ComponentChildren;
}) {
  const session = useLogin();
  const reader = session.status === 'in' ? readerOf(session) : null;
  const refusal = reader && refusalFor(reader, audience);
  const choice = reader && !refusal && hasChoice(reader) && (
    <Choice organizations={administered(reader.organizations)} />
  );
  const heading = choice ? say(Word['frame.yourOrganizations']) : title;
  return (
    <WayBack.Provider value={wayBackFor(reader)}>
      <SkipLink />
      <Acting session={session} />
      <div class="console">
        <header>
          <Product home={addressOf('admin')} />
          <button type="button" class="button plain" popovertarget="sections">
            {say(Word['frame.menu'])}
          </button>
        </header>
        <Sections reader={reader} />
        <main id="main" tabIndex={-1}>
          <Notice />
          <div class="head">
            <Heading>{refusal ? say(Word['frame.console']) : heading}</Heading>
            {reader && !refusal && act}
          </div>
          <WhenIn session={session}>{() => refusal ?? (choice || (reader && children(reader.user)))}</WhenIn>
        </main>
        {facts.links && (
          <footer>
            <OwnLinks />
          </footer>
        )}
      </div>
      <StepUp byMail={ByMail} />
    </WayBack.Provider>
  );
}

function Sections({ reader }: { reader: Reader | null }) {
  const sections = SECTIONS.filter((section) => reader !== null && isFor(reader, section));
  const user = reader?.user;
  return (
    <nav class="side" id="sections" popover="auto" aria-label={say(Word['frame.console'])}>
      {reader && user?.role !== 'sys_admin' && <PresentOrganization organizations={reader.organizations} />}
      <div hidden={sections.length === 0}>
        {sections.map(([path, section, icon]) => (
          <a
            key={path}
            href={sectionAddress(path, reader)}
            aria-current={path.endsWith(here()) ? 'page' : path === PARENTS[here()] ? 'true' : undefined}
          >
            <Icon lines={icon} />
            {say(Word['frame.section'], { section })}
            {path === 'admin/mail' && <DeadMails />}
          </a>
        ))}
      </div>
      {user && (
        <div class="who">
          <p title={user.email}>
            <bdi>{user.email}</bdi>
          </p>
          <a href={addressOf('ui/account')}>
            <Icon lines={PERSON} />
            {say(Word['parts.yourAccount'])}
          </a>
          <Form act={logOut}>
            <button type="submit" class="button words">
              <Icon lines={LEAVE} class="turns" />
              {say(Word['frame.logOut'])}
            </button>
          </Form>
        </div>
      )}
      <LanguageChoice />
    </nav>
  );
}

/** How many mails wait for a person. Where that cannot be asked, the overview says why. */
function DeadMails() {
  const outbox = useOutbox();
  if (outbox.state !== 'loaded' || outbox.data.states.dead === 0) return null;
  return (
    <span class="count">
      <Rich
        word={Word['frame.failed']}
        given={{
          count: outbox.data.states.dead,
          figure: figure(outbox.data.states.dead, MOST_MAILS),
          unseen: (inner) => <span class="unseen">{inner}</span>,
        }}
      />
    </span>
  );
}

/** The sections of an admin of several organizations stay with the one that the address names. */
function sectionAddress(path: string, reader: Reader | null): string {
  const orgId = presentOrgId();
  const isNamed = reader !== null && reader.user.role !== 'sys_admin' && reader.organizations.length > 1;
  return isNamed && orgId ? addressIn(path.replace('admin/', ''), orgId) : addressOf(path);
}

/** From one thing that is not there a system admin goes back to the list of all. */
function wayBackFor(reader: Reader | null): { href: string; words: string } {
  if (reader && reader.user.role !== 'sys_admin')
    return { href: addressOf('admin'), words: ownInWords(reader) };
  const [path, section] = SECTIONS.find(([parent]) => parent === PARENTS[here()]) ?? ['admin', 'overview'];
  return { href: addressOf(path), words: say(Word['frame.section'], { section }) };
}

function ownInWords({ organizations }: Reader): string {
  const isOne = organizations.length === 1;
  return say(isOne ? Word['frame.yourOrganization'] : Word['frame.yourOrganizations']);
}

function readerOf({ user, organizations }: Reader): Reader {
  return { user: userIn(presentOrgId(), user, organizations), organizations };
}

/** A system admin finds an organization in the list of all; without Stripe there is no billing. */
function isFor(reader: Reader, [path, , , audience]: Section): boolean {
  if (path === 'admin/organization' && reader.user.role === 'sys_admin') return false;
  if (path === 'admin/billing' && !facts.hasBilling) return false;
  return mayEnter(reader, audience);
}

/** The service says of an organization of others that it is not there: its screen needs no refusal. */
function mayEnter({ user, organizations }: Reader, audience: Audience): boolean {
  if (user.role === 'sys_admin') return true;
  const present = organizations.filter(({ id }) => id === presentOrgId());
  return audience === 'org_admin' && administered(present[0] ? present : organizations).length > 0;
}

function hasChoice({ user, organizations }: Reader): boolean {
  return user.role !== 'sys_admin' && organizations.length > 1 && presentOrgId() === undefined;
}

/** Why a screen is not for its reader, with the ways on; null where it is. */
function refusalFor(reader: Reader, audience: Audience): ComponentChildren {
  const closed = closedTo(reader);
  if (closed.length === 0 && mayEnter(reader, audience)) return null;
  const isElsewhere = administered(reader.organizations).some(({ id }) => id !== presentOrgId());
  const words = audience === 'sys_admin' && isElsewhere ? Word['frame.forSystem'] : Word['frame.forNobody'];
  return (
    <div class="card empty">
      {(closed.length > 0 ? closed : [say(words)]).map((each) => (
        <p key={each}>{each}</p>
      ))}
      {isElsewhere && <ButtonLink href={addressOf('admin')}>{ownInWords(reader)}</ButtonLink>}
      {(closed.length > 0 || !isElsewhere) && (
        <ButtonLink weight={isElsewhere ? 'plain' : 'main'} href={addressOf('ui/account')}>
          {say(Word['parts.yourAccount'])}
        </ButtonLink>
      )}
    </div>
  );
}

/** Why organizations keep their admin out: all that they administer, or the one that the address names. */
function closedTo({ user, organizations }: Reader): string[] {
  if (user.role === 'sys_admin') return [];
  const named = organizations.filter(({ id }) => id === presentOrgId());
  const own = named.length > 0 ? named : organizations.filter(({ role }) => role === 'org_admin');
  if (own.some(({ suspended, unmet }) => !suspended && !unmet.includes('networks'))) return [];
  return own.map(({ name, suspended }) =>
    say(suspended ? Word['account.organization.suspended'] : Word['frame.networkRefused'], {
      org: plain(name),
    }),
  );
}
