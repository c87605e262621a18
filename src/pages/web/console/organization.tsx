import { ButtonLink } from '../parts/button.js';
import { counted } from '../parts/counted.js';
import { addressOf, facts } from '../parts/facts.js';
import { Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import { Row, Rows } from '../parts/rows.js';
import type { User } from '../parts/session.js';
import { Time } from '../parts/time.js';
import { hasEnded, subscriptionInWords } from '../parts/words.js';
import { askedId } from './address-query.js';
import { Screen } from './frame.js';
import { Invitations, Invite } from './invitations.js';
import { Members } from './members.js';
import { OrganizationSettings } from './organization-settings.js';
import type { Org } from './schemas.js';
import { latchkey } from './service.js';

/** One organization: the one in the address, or else that of the user. */
export function Organization() {
  const loading = useLoad(readOrg);
  const org = loading.state === 'loaded' ? loading.data : null;
  return (
    <Screen title={org?.name ?? 'Organization'} audience="org_admin" act={org && <Invite org={org} />}>
      {(user) => (
        <Loaded from={loading} gone="There is no such organization, or it is not yours to administer.">
          {(known, again) =>
            known ? (
              <>
                <Members org={known} user={user} onChange={again} />
                <Invitations org={known} user={user} />
                {facts.hasBilling && (user.org_id === known.id || user.role === 'sys_admin') && (
                  <Subscription org={known} user={user} />
                )}
                <OrganizationSettings org={known} user={user} onChange={again} />
              </>
            ) : (
              <div class="card empty">
                <p>This address names no organization, and you belong to none.</p>
                <ButtonLink href={addressOf('admin/organizations')}>All organizations</ButtonLink>
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
    if (isOwn) return (await latchkey.getSubscription()).subscription;
    const { data } = await latchkey.listCustomers({ org_id: id, limit: 1 });
    return data[0]?.subscription ?? null;
  });
  return (
    <Section name="subscription" title="Subscription">
      <Loaded from={loading} rows={1}>
        {(subscription) => {
          if (!subscription)
            return (
              <Rows>
                <Row icon="card">The organization has no subscription.</Row>
              </Rows>
            );
          const { status, quantity, current_period_end, cancel_at_period_end } = subscription;
          const [words, look] = subscriptionInWords(status);
          return (
            <Rows>
              <Row
                icon="card"
                note={
                  <>
                    {quantity === null ? 'By use' : counted(quantity, 'seat')}
                    {current_period_end && !hasEnded(status) && (
                      <>
                        , {cancel_at_period_end ? 'ends' : 'renews'} <Time at={current_period_end} as="day" />
                      </>
                    )}
                  </>
                }
                acts={
                  <ButtonLink
                    weight="words"
                    href={addressOf(isOwn ? 'ui/billing' : `admin/billing?org_id=${id}`)}
                  >
                    {isOwn ? 'Change' : 'Customer'}
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
