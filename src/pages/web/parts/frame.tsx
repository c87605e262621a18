import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { WithBreaks } from './address.js';
import { Submit } from './button.js';
import { addressOf, facts } from './facts.js';
import { Form } from './form.js';
import { Mark } from './icons.js';
import { LanguageChoice } from './language-choice.js';
import { GreyRows } from './load.js';
import { isLeaving, Notice, wasLedHere } from './notice.js';
import { problemInWords } from './problem-words.js';
import { isolated, say, Word } from './say.js';
import { latchkey } from './service.js';
import { goToLogin, type OrganizationOfUser, type Snapshot, type User, useSession } from './session.js';
import { StepUp } from './step-up.js';

/** The heading of the page, and its title. It gets the focus when a form has led here, or the page has changed. */
export function Heading({ children, isNew = false }: { children: string; isNew?: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = say(Word['parts.title'], { title: children });
    const isTyping = document.activeElement?.matches('input, dialog *');
    if ((isNew || wasLedHere) && !isTyping) heading.current?.focus();
  }, [children]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      <WithBreaks>{isolated(children)}</WithBreaks>
    </h1>
  );
}

/** A page that does one thing: a card under the name of the product. */
export function Card({
  title,
  isNew = false,
  children,
}: {
  title: string;
  isNew?: boolean;
  children: ComponentChildren;
}) {
  return (
    <>
      <Notice />
      <div class="page narrow">
        <header>
          <Product />
        </header>
        <main class="card stack" id="main">
          <Heading isNew={isNew}>{title}</Heading>
          {children}
        </main>
        <Footer />
      </div>
      <StepUp />
    </>
  );
}

/** Who is logged in. A visitor is led to the login, and comes back. For another user the page begins anew. */
export function useLogin(): Snapshot {
  const session = useSession();
  const userId = session.status === 'in' ? session.user.id : null;
  const firstId = useRef(userId);
  firstId.current ??= userId;
  const isAnother = userId !== null && userId !== firstId.current;
  useEffect(() => {
    if (session.status === 'out') goToLogin();
    if (isAnother && !isLeaving) location.reload();
  }, [session.status, isAnother]);
  return isAnother ? { status: 'loading' } : session;
}

/** What is for the user who is logged in; until that is known, that it is loading or has failed. */
export function WhenIn({
  session,
  children,
}: {
  session: Snapshot;
  children: (user: User, organizations: OrganizationOfUser[]) => ComponentChildren;
}) {
  if (session.status === 'in') return <>{children(session.user, session.organizations)}</>;
  if (session.status === 'unreachable')
    return (
      <div class="failed" role="alert">
        <p>{problemInWords(session.problem)}</p>
        <Form act={() => latchkey.session.refresh()}>
          <Submit weight="plain">{say(Word['parts.tryAgain'])}</Submit>
        </Form>
      </div>
    );
  return <GreyRows />;
}

/** The first link of a page: with a keyboard, past what every page has. */
export function SkipLink() {
  return (
    <a class="skip unseen button" href="#main">
      {say(Word['parts.skip'])}
    </a>
  );
}

/** A part of a page, under a heading of its own. Its name is its anchor, the same in every language. */
export function Section({
  name,
  title,
  acts,
  children,
}: {
  name: string;
  title: string;
  acts?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section aria-labelledby={name}>
      <div class="head">
        <h2 id={name} tabIndex={-1}>
          {title}
        </h2>
        {acts}
      </div>
      {children}
    </section>
  );
}

export function Product({ home = facts.homeUrl ?? addressOf('ui/account') }: { home?: string }) {
  return (
    <a class="product" href={home}>
      {facts.logoUrl ? <img src={facts.logoUrl} alt={facts.product} /> : <Mark />}
      {!facts.logoUrl && <bdi>{facts.product}</bdi>}
    </a>
  );
}

/** What every page of /ui ends with. */
export function Footer() {
  const { termsUrl, privacyUrl, supportEmail } = facts;
  return (
    <footer>
      {termsUrl && <a href={termsUrl}>{say(Word['frame.terms'])}</a>}
      {privacyUrl && <a href={privacyUrl}>{say(Word['frame.privacy'])}</a>}
      {supportEmail && <a href={`mailto:${supportEmail}`}>{say(Word['frame.help'])}</a>}
      <OwnLinks />
      <LanguageChoice />
    </footer>
  );
}

/** What the product links to from all pages. */
export function OwnLinks() {
  return (
    <>
      {facts.links?.map(({ url, label, tag }) => (
        <a key={url} href={url} lang={tag} dir={tag ? 'auto' : undefined}>
          {label}
        </a>
      ))}
    </>
  );
}
