import { useState } from 'preact/hooks';
import { isProblem } from '../../../client/problem.js';
import { ButtonLink, Submit } from '../parts/button.js';
import { Ask } from '../parts/dialog.js';
import { addressOf, addressOfOrg } from '../parts/facts.js';
import { Field, PasswordField, Username } from '../parts/field.js';
import { Form } from '../parts/form.js';
import { Card } from '../parts/frame.js';
import { GreyRows, Loaded, useLoad } from '../parts/load.js';
import { Alert, go } from '../parts/notice.js';
import { Providers } from '../parts/providers.js';
import { pageOfService, returnAddress, returnHere } from '../parts/return-to.js';
import { linkTo, Rich, say, strong, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';
import { logInAnew, type User, useSession } from '../parts/session.js';
import { timeZone } from '../parts/time-zone.js';
import { forgetToken, mailedToken } from '../parts/token.js';
import { plain } from '../parts/words.js';
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
        <p>{say(Word['invitation.dead'])}</p>
        <ButtonLink href={addressOf('ui/login')}>{say(Word['login.title'])}</ButtonLink>
      </DeadLink>
    );
  return (
    <Card title={say(Word['invitation.title'])}>
      <Loaded from={invitation}>
        {(offer) => {
          if (!offer || session.status === 'loading') return <GreyRows />;
          const me = session.status === 'in' ? session.user.email : null;
          return (
            <>
              <p>
                <Rich
                  word={Word['invitation.offer']}
                  given={{ org: offer.org_name, email: offer.email, role: offer.role, strong }}
                />
              </p>
              {offer.inviter && (
                <p>
                  <Rich word={Word['invitation.from']} given={{ person: offer.inviter, strong }} />
                </p>
              )}
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
        <p>{say(Word['invitation.hasAccount'])}</p>
        <ButtonLink href={addressOf(`ui/login${returnHere()}`)}>{say(Word['invitation.logIn'])}</ButtonLink>
      </>
    );
  if (me !== offer.email)
    return (
      <>
        <Alert isWarning>
          <Rich word={Word['invitation.other']} given={{ email: me, account: offer.email, strong }} />
        </Alert>
        <Form act={logInAnew}>
          <Submit>{say(Word['invitation.logOut'])}</Submit>
        </Form>
      </>
    );
  return <JoinAsSelf offer={offer} dead={dead} />;
}

function JoinAsSelf({ offer, dead }: { offer: Invitation; dead: () => void }) {
  const [hasNoRoom, setHasNoRoom] = useState(false);
  return (
    <>
      <Form
        act={async () => {
          try {
            const { user } = await latchkey.acceptInvitation({ token: mailedToken() });
            return joined(offer, user);
          } catch (error) {
            if (isDeadLink(error)) return dead();
            setHasNoRoom(isProblem(error, 'AlreadyInOrganization', 'TooManyOrganizations'));
            throw error;
          }
        }}
      >
        <Submit autofocus>{say(Word['invitation.join'])}</Submit>
      </Form>
      {hasNoRoom && (
        <p>
          <Rich word={Word['invitation.leaveOther']} given={{ link: linkTo(addressOf('ui/account')) }} />
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
          let place = '';
          try {
            const { user } = await latchkey.acceptInvitation({
              token: mailedToken(),
              password,
              ...timeZone(),
              ...(name && { name }),
            });
            place = placeOf(offer) || (addressOfOrg(String(user.org_id)) ?? '');
          } catch (error) {
            if (isDeadLink(error)) return dead();
            throw error;
          }
          const login = await latchkey.login({ email: offer.email, password });
          forgetToken();
          return goOn(login, say(Word['invitation.joined'], { org: plain(offer.org_name) }), place);
        }}
      >
        <Username of={offer.email} />
        <PasswordField label={say(Word['field.password'])} name="password" isNew autofocus />
        <Field label={say(Word['field.name'])} name="name" autocomplete="name" isOptional />
        <Submit>{say(Word['invitation.joinAnew'])}</Submit>
        <Agreement />
      </Form>
      <Loaded from={methods} rows={1}>
        {({ providers }) => (
          <>
            {providers.length > 0 && <p class="or">{say(Word['login.or'])}</p>}
            <Providers
              providers={providers}
              way="join"
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
        button={say(Word['invitation.decline'])}
        title={say(Word['invitation.decline.title'])}
        isDangerous
        act={async () => {
          try {
            await latchkey.declineInvitation({ token: mailedToken() });
          } catch (error) {
            if (isDeadLink(error)) return dead();
            throw error;
          }
          forgetToken();
          return go(addressOf('ui/login'), say(Word['invitation.declined'], { org: plain(offer.org_name) }));
        }}
      >
        <p>
          <Rich word={Word['invitation.decline.what']} given={{ org: offer.org_name, email: offer.email }} />
        </p>
      </Ask>
    </div>
  );
}

function joined(offer: Invitation, { org_id }: User): Promise<never> {
  forgetToken();
  // The user may administer others.
  const place = placeOf(offer) && `${placeOf(offer)}?id=${org_id}`;
  return go(
    pageOfService(place) ?? addressOfOrg(String(org_id)) ?? returnAddress(),
    say(Word['invitation.joined'], { org: plain(offer.org_name) }),
  );
}

/** Where the new member goes first: an admin to what there is to set up. */
function placeOf({ role }: Invitation): string {
  return role === 'org_admin' ? '/admin/organization' : '';
}
