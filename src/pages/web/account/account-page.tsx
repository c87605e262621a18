import { type ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Acting } from '../parts/acting.js';
import { ByMail } from '../parts/by-mail.js';
import { addressOf, base, facts } from '../parts/facts.js';
import { Form } from '../parts/form.js';
import { Footer, Heading, Product, SkipLink, useLogin, WhenIn } from '../parts/frame.js';
import { Notice } from '../parts/notice.js';
import { wayBack } from '../parts/return-to.js';
import { say, Word } from '../parts/say.js';
import { logOut, type OrganizationOfUser, type User } from '../parts/session.js';
import { StepUp } from '../parts/step-up.js';

const PLACES = ['account', 'security', 'billing'] as const;

/** A page of the user who is logged in, with the way to the others. Without a session it leads to the login. */
export function AccountPage({
  title,
  children,
}: {
  title: string;
  children: (user: User, organizations: OrganizationOfUser[]) => ComponentChildren;
}) {
  const session = useLogin();
  const user = session.status === 'in' ? session.user : null;
  const here = location.pathname.split('/').at(-1);
  const places = PLACES.filter((name) => name !== 'billing' || facts.hasBilling);
  return (
    <>
      <SkipLink />
      <Acting session={session} />
      <div class="page wide">
        <header class="bar">
          <div>
            <Product />
            {/* It has its place before it is known who it is: nothing below it moves. */}
            <div class="who">
              {user && (
                <>
                  <bdi title={user.email}>{user.email}</bdi>
                  <Form act={logOut}>
                    <button type="submit" class="button words">
                      {say(Word['frame.logOut'])}
                    </button>
                  </Form>
                </>
              )}
            </div>
            <nav aria-label={say(Word['frame.places'])}>
              {places.map((name) => (
                <a
                  key={name}
                  href={addressOf(`ui/${name}`)}
                  aria-current={name === here ? 'page' : undefined}
                >
                  {say(Word['frame.place'], { place: name })}
                </a>
              ))}
            </nav>
          </div>
        </header>
        <main id="main" tabIndex={-1}>
          <Notice />
          <BackLink />
          <Heading>{title}</Heading>
          <WhenIn session={session}>{children}</WhenIn>
        </main>
        <Footer />
      </div>
      <StepUp byMail={ByMail} />
    </>
  );
}

/** To where the user came from. */
function BackLink() {
  const [address] = useState(wayBack);
  if (address === null) return null;
  const isOwn = address.startsWith(base.href);
  return (
    <p>
      <a href={address}>{say(isOwn ? Word['frame.back'] : Word['frame.backTo'])}</a>
    </p>
  );
}
