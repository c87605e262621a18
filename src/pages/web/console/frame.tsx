import type { ComponentChildren } from 'preact';
import { ButtonLink } from '../parts/button.js';
import { figure } from '../parts/counted.js';
import { addressOf, facts } from '../parts/facts.js';
import { Form } from '../parts/form.js';
import { Heading, Product, SkipLink, useLogin, WhenIn } from '../parts/frame.js';
import { Icon, type IconName } from '../parts/icons.js';
import { WayBack } from '../parts/load.js';
import { Notice } from '../parts/notice.js';
import { logOut, type User } from '../parts/session.js';
import { StepUp } from '../parts/step-up.js';
import { MOST_MAILS, useOutbox } from './outbox-now.js';

/** A section of the console: its address, its words, and for whom it is. */
type Section = [path: string, words: string, icon: IconName, audience: Audience];

/** A system admin sees everything; the admin of an organization sees that organization. */
type Audience = 'sys_admin' | 'org_admin';

const SECTIONS: Section[] = [
  ['admin', 'Overview', 'check', 'sys_admin'],
  ['admin/organizations', 'Organizations', 'building', 'sys_admin'],
  ['admin/organization', 'Organization', 'building', 'org_admin'],
  ['admin/users', 'Users', 'person', 'sys_admin'],
  ['admin/activity', 'Activity', 'clock', 'org_admin'],
  ['admin/mail', 'Mail', 'mail', 'sys_admin'],
  ['admin/billing', 'Billing', 'card', 'sys_admin'],
  ['admin/system', 'System', 'device', 'sys_admin'],
];

/** The section that a screen of one thing belongs to. */
const PARENTS: Record<string, string> = { organization: 'admin/organizations', user: 'admin/users' };

/**
 * A screen of the console: the sections at the side, what was done last, the heading with its one main act, and the
 * content. To a user whom the screen is not for it says so instead.
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
  const user = session.status === 'in' ? session.user : null;
  const isAllowed = user !== null && mayEnter(user, audience);
  const refusal = user && !isAllowed ? refusalFor(user) : null;
  return (
    <WayBack.Provider value={wayBackFor(user)}>
      <SkipLink />
      <div class="console">
        <header>
          <Product home={addressOf('admin')} />
          <button type="button" class="button plain" popovertarget="sections">
            Menu
          </button>
        </header>
        <Sections user={user} />
        <main id="main" tabIndex={-1}>
          <Notice />
          <div class="head">
            <Heading>{refusal ? 'Console' : title}</Heading>
            {isAllowed && act}
          </div>
          <WhenIn session={session}>{(known) => refusal ?? children(known)}</WhenIn>
        </main>
      </div>
      <StepUp />
    </WayBack.Provider>
  );
}

function Sections({ user }: { user: User | null }) {
  const sections = SECTIONS.filter((section) => user !== null && isFor(user, section));
  return (
    <nav class="side" id="sections" popover="auto" aria-label="Console">
      <div>
        {sections.map(([path, words, icon]) => (
          <a
            key={path}
            href={addressOf(path)}
            aria-current={path.endsWith(here()) ? 'page' : path === PARENTS[here()] ? 'true' : undefined}
          >
            <Icon name={icon} />
            {words}
            {path === 'admin/mail' && <DeadMails />}
          </a>
        ))}
      </div>
      {user && (
        <div class="who">
          <p title={user.email}>{user.email}</p>
          <a href={addressOf('ui/account')}>
            <Icon name="person" />
            Your account
          </a>
          <Form act={logOut}>
            <button type="submit" class="button words">
              <Icon name="leave" />
              Log out
            </button>
          </Form>
        </div>
      )}
    </nav>
  );
}

/** How many mails wait for a person. Where that cannot be asked, the overview says why. */
function DeadMails() {
  const outbox = useOutbox();
  if (outbox.state !== 'loaded' || outbox.data.states.dead === 0) return null;
  return (
    <span class="count">
      {figure(outbox.data.states.dead, MOST_MAILS)}
      <span class="unseen"> failed</span>
    </span>
  );
}

/** From one thing that is not there a system admin goes back to the list of all. */
function wayBackFor(user: User | null): { href: string; words: string } {
  if (user?.role === 'org_admin') return { href: addressOf('admin'), words: 'Your organization' };
  const [path, words] = SECTIONS.find(([section]) => section === PARENTS[here()]) ?? ['admin', 'Overview'];
  return { href: addressOf(path), words };
}

/** The last part of the path. */
function here(): string {
  return location.pathname.split('/').at(-1) ?? '';
}

/** A system admin finds an organization in the list of all; without Stripe there is no billing. */
function isFor(user: User, [path, , , audience]: Section): boolean {
  if (path === 'admin/organization') return user.role === 'org_admin';
  if (path === 'admin/billing' && !facts.hasBilling) return false;
  return mayEnter(user, audience);
}

function mayEnter({ role }: User, audience: Audience): boolean {
  return role === 'sys_admin' || role === audience;
}

function refusalFor({ role }: User): ComponentChildren {
  return role === 'org_admin' ? (
    <Refusal words="This is for system admins." href={addressOf('admin')} way="Your organization" />
  ) : (
    <Refusal
      words="There is nothing for you to administer."
      href={addressOf('ui/account')}
      way="Your account"
    />
  );
}

function Refusal({ words, href, way }: { words: string; href: string; way: string }) {
  return (
    <div class="card empty">
      <p>{words}</p>
      <ButtonLink href={href}>{way}</ButtonLink>
    </div>
  );
}
