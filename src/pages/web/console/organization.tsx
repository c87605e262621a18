import { ButtonLink } from '../parts/button.js';
import { addressOf, facts } from '../parts/facts.js';
import { Section } from '../parts/frame.js';
import { CARD } from '../parts/icons.js';
import { Loaded, useLoad } from '../parts/load.js';
import { Row, Rows } from '../parts/rows.js';
import { Rich, say, Word } from '../parts/say.js';
import { type User, useSession } from '../parts/session.js';
import { Time } from '../parts/time.js';
import { hasEnded, subscriptionInWords } from '../parts/words.js';
import { AccessRules } from './access-rules.js';
import { askedId } from './address-query.js';
import { Screen } from './frame.js';
import { Invitations, Invite } from './invitations.js';
import { Members } from './members.js';
import { OrganizationSettings } from './organization-settings.js';
import { presentOrganization } from './own-organizations.js';
import type { Org } from './schemas.js';
import { latchkey } from './service.js';

/** One organization: the one in the address, or else the only one of the user. */
export function Organization() {
  const loading = useLoad(readOrg);
  const org = loading.state === 'loaded' ? loading.data : null;
  const known = presentOrganization(useSession());
  return (
    <Screen
      title={org?.name ?? known?.name ?? say(Word['organization.title'])}
      audience="org_admin"
      act={
        org && (
          <div class="buttons">
            <ButtonLink weight="plain" href="#settings">
              {say(Word['organization.settings'])}
            </ButtonLink>
            <Invite org={org} />
          </div>
        )
      }
    >
      {(user) => (
        <Loaded from={loading} gone={say(Word['organization.gone'])}>
          {(known, again) =>
            known ? (
              <>
                <Members org={known} user={user} onChange={again} />
                <Invitations org={known} user={user} />
                {facts.hasBilling && (user.org_id === known.id || user.role === 'sys_admin') && (
                  <Subscription org={known} user={user} />
                )}
                <OrganizationSettings org={known} user={user} onChange={again} />
                <AccessRules org_id={known.id} />
              </>
            ) : (
              <div class="card empty">
                <p>{say(Word['organization.none'])}</p>
                <ButtonLink href={addressOf('admin/organizations')}>
                  {say(Word['organization.all'])}
                </ButtonLink>
              </div>
            )
          }
        </Loaded>
      )}
    </Screen>
  );
}

async function readOrg(): Promise<Org | null> {
  const org_id = askedId() ?? (await whoIsIn()).org_id;
  return org_id === null ? null : (await latchkey.getOrg({ org_id })).org;
}

/** Who is logged in, once the frame has heard it. Nobody waits where nobody is: the frame goes to the login. */
function whoIsIn(): Promise<User> {
  return new Promise((resolve) => {
    const leave = latchkey.session.subscribe(look);
    look();

    function look(): void {
      const session = latchkey.session.getSnapshot();
      if (session.status !== 'in') return;
      leave();
      resolve(session.user);
    }
  });
}

/** What an organization pays for. Its own admin changes that; a system admin looks after it among the customers. */
function Subscription({ org: { id }, user }: { org: Org; user: User }) {
  const isOwn = user.org_id === id;
  const loading = useLoad(async () => {
    if (isOwn) return (await latchkey.in(id).getSubscription()).subscription;
    const { data } = await latchkey.listCustomers({ org_id: id, limit: 1 });
    return data[0]?.subscription ?? null;
  });
  return (
    <Section name="subscription" title={say(Word['billing.subscription'])}>
      <Loaded from={loading} rows={1}>
        {(subscription) => {
          if (!subscription)
            return (
              <Rows>
                <Row icon={CARD}>{say(Word['organization.noSubscription'])}</Row>
              </Rows>
            );
          const [words, look] = subscriptionInWords(subscription.status);
          return (
            <Rows>
              <Row
                icon={CARD}
                note={<Seats {...subscription} />}
                acts={
                  <ButtonLink
                    weight="words"
                    href={addressOf(isOwn ? `ui/billing?org=${id}` : `admin/billing?org_id=${id}`)}
                  >
                    {say(
                      isOwn
                        ? Word['organization.subscription.change']
                        : Word['organization.subscription.customer'],
                    )}
                  </ButtonLink>
                }
              >
                <span class={`badge ${look}`}>{words}</span>
              </Row>
            </Rows>
          );
        }}
      </Loaded>
    </Section>
  );
}

type Subscribed = NonNullable<Awaited<ReturnType<typeof latchkey.getSubscription>>['subscription']>;

/** How much is paid for, and until when. */
function Seats({ status, quantity, current_period_end: end, cancel_at_period_end }: Subscribed) {
  const isGoing = end !== null && !hasEnded(status);
  const renewal = isGoing ? (cancel_at_period_end ? 'ends' : 'renews') : 'none';
  const day = end && <Time at={end} as="day" />;
  return quantity === null ? (
    <Rich word={Word['organization.byUse']} given={{ renewal, day }} />
  ) : (
    <Rich word={Word['organization.seats']} given={{ renewal, count: quantity, day }} />
  );
}
