import { useState } from 'preact/hooks';
import { isProblem } from '../../../client/problem.js';
import { WithAddress } from '../parts/address.js';
import { ButtonLink, Submit } from '../parts/button.js';
import { Ask } from '../parts/dialog.js';
import { addressOf } from '../parts/facts.js';
import { Field, PasswordField, Username } from '../parts/field.js';
import { Form } from '../parts/form.js';
import { Card } from '../parts/frame.js';
import { GreyRows, Loaded, useLoad } from '../parts/load.js';
import { Alert, go } from '../parts/notice.js';
import { Providers } from '../parts/providers.js';
import { pageOfService, returnAddress, returnHere } from '../parts/return-to.js';
import { latchkey } from '../parts/service.js';
import { logInAnew, useSession } from '../parts/session.js';
import { forgetToken, mailedToken } from '../parts/token.js';
import { plain, roleInWords } from '../parts/words.js';
import { DeadLink, isDeadLink, useLink } from './dead-link.js';
import { goOn } from './go-on.js';
import { Agreement } from './signup.js';

type Invitation = Awaited<ReturnType<typeof latchkey.previewInvitation>>;

/**
 * Where an invitation leads. Its address has no account yet; or it has one, and the user is logged in to it, to another
 * one or to none; or the link is dead. Each case has its one way on.
 */
export function AcceptInvitation() {
  const session = useSession();
  const {
    link: invitation,
    isDead,
    die,
  } = useLink(() => latchkey.previewInvitation({ token: mailedToken() }));

  if (isDead)
    return (
      <DeadLink>
        <p>
          The invitation was used, taken back or replaced by a newer one, or its time is over. If you have
          joined already, log in. If not, ask the person who invited you for another.
        </p>
        <ButtonLink href="login">Log in</ButtonLink>
      </DeadLink>
    );
  return (
    <Card title="Your invitation">
      <Loaded from={invitation}>
        {(offer) => {
          if (!offer || session.status === 'loading') return <GreyRows />;
          const me = session.status === 'in' ? session.user.email : null;
          return (
            <>
              <p>
                You are invited to join{' '}
                <strong>
                  <bdi>{offer.org_name}</bdi>
                </strong>{' '}
                as{' '}
                <strong>
                  <WithAddress>{offer.email}</WithAddress>
                </strong>
                . Your role is {roleInWords(offer.role)}.
              </p>
              <WayOn offer={offer} me={me} dead={die} />
              <Decline offer={offer} dead={die} />
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

function WayOn({ offer, me, dead }: { offer: Invitation; me: string | null; dead: () => void }) {
  if (!offer.account_exists) return <JoinAnew offer={offer} dead={dead} />;
  if (me === null)
    return (
      <>
        <p>
          This address has an account, or belonged to one less than three days ago. Log in to that account,
          and you come back here.
        </p>
        <ButtonLink href={`login${returnHere()}`}>Log in to join</ButtonLink>
      </>
    );
  if (me !== offer.email)
    return (
      <>
        <Alert isWarning>
          You are logged in as <strong>{me}</strong>, but this invitation is for{' '}
          <strong>
            <WithAddress>{offer.email}</WithAddress>
          </strong>
          .
        </Alert>
        <Form act={logInAnew}>
          <Submit>Log out and continue</Submit>
        </Form>
      </>
    );
  return <JoinAsSelf offer={offer} dead={dead} />;
}

function JoinAsSelf({ offer, dead }: { offer: Invitation; dead: () => void }) {
  const [hasOther, setHasOther] = useState(false);
  return (
    <>
      <Form
        act={async () => {
          try {
            await latchkey.acceptInvitation({ token: mailedToken() });
          } catch (error) {
            if (isDeadLink(error)) return dead();
            setHasOther(isProblem(error, 'AlreadyInOrganization'));
            throw error;
          }
          return joined(offer);
        }}
      >
        <Submit autofocus>Join with my account</Submit>
      </Form>
      {hasOther && (
        <p>
          You can leave the other organization in <a href="account">your account</a>, and then open this link
          again.
        </p>
      )}
    </>
  );
}

function JoinAnew({ offer, dead }: { offer: Invitation; dead: () => void }) {
  const methods = useLoad(() => latchkey.methods());
  return (
    <>
      <Form
        act={async ({ name, password = '' }) => {
          try {
            await latchkey.acceptInvitation({ token: mailedToken(), password, ...(name && { name }) });
          } catch (error) {
            if (isDeadLink(error)) return dead();
            throw error;
          }
          const login = await latchkey.login({ email: offer.email, password });
          forgetToken();
          return goOn(login, `You belong to ${plain(offer.org_name)} now.`, placeOf(offer));
        }}
      >
        <Username of={offer.email} />
        <PasswordField label="Password" name="password" isNew autofocus />
        <Field label="Name" name="name" autocomplete="name" isOptional />
        <Submit>Join</Submit>
        <Agreement />
      </Form>
      <Loaded from={methods} rows={1}>
        {({ providers }) => (
          <>
            {providers.length > 0 && <p class="or">or</p>}
            <Providers
              providers={providers}
              verb="Join through"
              flow={{ return_to: '/login', invitation_token: mailedToken() }}
            />
          </>
        )}
      </Loaded>
    </>
  );
}

function Decline({ offer, dead }: { offer: Invitation; dead: () => void }) {
  return (
    <div class="buttons">
      <Ask
        button="Decline"
        title="Decline this invitation?"
        verb="Decline it"
        isDangerous
        act={async () => {
          try {
            await latchkey.declineInvitation({ token: mailedToken() });
          } catch (error) {
            if (isDeadLink(error)) return dead();
            throw error;
          }
          forgetToken();
          return go(addressOf('ui/login'), `You have declined to join ${plain(offer.org_name)}.`);
        }}
      >
        <p>
          The link stops working, and <bdi>{offer.org_name}</bdi> cannot invite {offer.email} again for 30
          days.
        </p>
      </Ask>
    </div>
  );
}

function joined(offer: Invitation): Promise<never> {
  forgetToken();
  return go(pageOfService(placeOf(offer)) ?? returnAddress(), `You belong to ${plain(offer.org_name)} now.`);
}

/** Where the new member goes first: an admin to what there is to set up. */
function placeOf({ role }: Invitation): string {
  return role === 'org_admin' ? '/admin/organization' : '';
}
