import { useEffect, useState } from 'preact/hooks';
import { Submit } from '../parts/button.js';
import { addressOf } from '../parts/facts.js';
import { Form, leaveFor } from '../parts/form.js';
import { Section } from '../parts/frame.js';
import { BUILDING, CARD, PERSON } from '../parts/icons.js';
import { Loaded, useLoad } from '../parts/load.js';
import { announce } from '../parts/notice.js';
import { Row, Rows } from '../parts/rows.js';
import { say, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';
import { type OrganizationOfUser, type User, userIn } from '../parts/session.js';
import { Time } from '../parts/time.js';
import { hasEnded, subscriptionInWords } from '../parts/words.js';
import { AccountPage } from './account-page.js';
import { AskAdmins, type Payer, Plans, PresentPlan } from './plans.js';

/** How the address names the user in place of an organization, as the service's header does. */
const YOURSELF = 'none';

type Present = NonNullable<Awaited<ReturnType<typeof latchkey.getSubscription>>['subscription']>;

const POLL_MS = 1000;
const PATIENCE_MS = 30_000;

/**
 * What is paid for, and what could be. A product links here with `?price_id=` of a price at Stripe, or leaves the choice
 * to the page; `?org=` names the organization that pays, or `none`. Stripe sends the browser back with `?checkout=`.
 */
export function Billing() {
  return (
    <AccountPage title={say(Word['billing.title'])}>
      {(user, organizations) => <OfPayer user={user} organizations={organizations} />}
    </AccountPage>
  );
}

/** Of several organizations and themselves, a user chooses whose subscription it is: nothing is guessed. */
function OfPayer({ user, organizations }: { user: User; organizations: OrganizationOfUser[] }) {
  const named = askedPayer(organizations);
  if (named === null && organizations.length > 1) return <Choice organizations={organizations} />;
  const organization = organizations.find(({ id }) => id === named);
  const isChosen = organization !== undefined || named === YOURSELF;
  return (
    <>
      {isChosen && organizations.length > 1 && <Chosen organization={organization} />}
      <Subscription payer={payerOf(named, user, organizations)} named={named} />
    </>
  );
}

/** Whom the address names. Back from Stripe, one without an organization is that of a user who pays themselves. */
function askedPayer({ length }: OrganizationOfUser[]): string | null {
  const query = new URLSearchParams(location.search);
  return query.get('org') ?? (length > 1 && query.has('checkout') ? YOURSELF : null);
}

/** Each request names the payer, also the only one: the user may join another organization meanwhile. */
function payerOf(named: string | null, user: User, organizations: OrganizationOfUser[]): Payer {
  const asked = named === YOURSELF ? null : named;
  const orgId = named === null ? user.org_id : asked;
  const { role } = userIn(orgId, user, organizations);
  const mayManage = orgId === null || role === 'org_admin' || role === 'sys_admin';
  return { client: latchkey.in(orgId), orgId, mayManage };
}

function Choice({ organizations }: { organizations: OrganizationOfUser[] }) {
  return (
    <Section name="payer" title={say(Word['billing.whose'])}>
      <Rows>
        {organizations.map(({ id, name }) => (
          <Row key={id} icon={BUILDING}>
            <a href={addressFor(id)}>
              <bdi>{name}</bdi>
            </a>
          </Row>
        ))}
        <Row icon={PERSON}>
          <a href={addressFor(YOURSELF)}>{say(Word['billing.yourself'])}</a>
        </Row>
      </Rows>
    </Section>
  );
}

/** Whose subscription the page shows, and the way to the others. */
function Chosen({ organization }: { organization: OrganizationOfUser | undefined }) {
  return (
    <Rows>
      <Row
        icon={organization ? BUILDING : PERSON}
        acts={
          <a class="button words" href={addressFor(null)}>
            {say(Word['billing.another'])}
          </a>
        }
      >
        <strong>
          <bdi>{organization?.name ?? say(Word['billing.yourself'])}</bdi>
        </strong>
      </Row>
    </Rows>
  );
}

/** This page with another payer, and the plan that a product's link names. */
function addressFor(payer: string | null): string {
  const query = new URLSearchParams(location.search);
  query.delete('checkout');
  query.delete('org');
  if (payer !== null) query.set('org', payer);
  return `?${query}`;
}

function Subscription({ payer, named }: { payer: Payer; named: string | null }) {
  const query = new URLSearchParams(location.search);
  const loading = useLoad(() => payer.client.getSubscription());
  const last = loading.state === 'loaded' ? loading.data.subscription : null;
  const present = last && !hasEnded(last.status) ? last : null;
  const isPaid = query.get('checkout') === 'success';
  const isAwaited = useAwaited(isPaid && !present, loading.again);
  useEffect(() => {
    if (!present || !query.has('checkout')) return;
    if (isPaid) announce(say(Word['billing.thanks']));
    // Otherwise a reload would look for the payment again once the subscription has ended.
    history.replaceState(null, '', addressOf(named === null ? 'ui/billing' : `ui/billing?org=${named}`));
  }, [present]);
  const mayChoose = loading.state === 'loaded' && !present && !isAwaited;
  return (
    <>
      <Section name="subscription" title={say(Word['billing.subscription'])}>
        <Loaded from={loading} rows={2}>
          {() =>
            present ? (
              <Present payer={payer} subscription={present} />
            ) : (
              <Rows>
                <Row icon={CARD} note={notes(query.get('checkout'))}>
                  {isAwaited ? (
                    <strong>{say(Word['billing.thanks'])}</strong>
                  ) : (
                    <Last payer={payer} status={last?.status} />
                  )}
                </Row>
                {last && (
                  <Payment
                    payer={payer}
                    verb={say(Word['billing.seeInvoices'])}
                    note={say(Word['billing.invoices'])}
                  />
                )}
              </Rows>
            )
          }
        </Loaded>
      </Section>
      {mayChoose && <Plans payer={payer} priceId={query.get('price_id')} />}
    </>
  );
}

/** What became of the last subscription. */
function Last({ payer, status }: { payer: Payer; status: string | undefined }) {
  if (status === undefined)
    return <>{say(payer.orgId === null ? Word['billing.none'] : Word['billing.noneOfOrg'])}</>;
  const [words, look] = subscriptionInWords(status);
  return <span class={`badge ${look}`}>{words}</span>;
}

function Present({ payer, subscription }: { payer: Payer; subscription: Present }) {
  const { status, price_id, quantity, current_period_end, cancel_at_period_end, past_due_since } =
    subscription;
  const [words, look] = subscriptionInWords(status);
  return (
    <Rows>
      <Row label={say(Word['billing.status'])}>
        <span class={`badge ${look}`}>{words}</span>
      </Row>
      {past_due_since && (
        <Row label={say(Word['billing.since'])}>
          <Time at={past_due_since} as="day" />
        </Row>
      )}
      {price_id && <PresentPlan payer={payer} priceId={price_id} />}
      <Row label={say(Word['billing.seats'])}>
        {quantity === null
          ? say(Word['billing.seats.byUse'])
          : say(Word['billing.seats.count'], { count: quantity })}
      </Row>
      {current_period_end && (
        <Row label={say(cancel_at_period_end ? Word['billing.ends'] : Word['billing.renews'])}>
          <Time at={current_period_end} as="day" />
        </Row>
      )}
      <Payment payer={payer} verb={say(Word['billing.manage'])} note={say(Word['billing.portal'])} />
    </Rows>
  );
}

function Payment({ payer, verb, note }: { payer: Payer; verb: string; note: string }) {
  if (!payer.mayManage)
    return (
      <Row note={say(Word['billing.forAdmins'])}>
        <AskAdmins payer={payer} />
      </Row>
    );
  return (
    <Row
      acts={
        <Form act={async () => leaveFor((await payer.client.openPortal()).url)}>
          <Submit weight="plain">{verb}</Submit>
        </Form>
      }
      note={note}
    >
      {say(Word['billing.payment'])}
    </Row>
  );
}

/** A price without a period is paid once, and makes no subscription. */
function notes(checkout: string | null): string {
  if (checkout === 'canceled') return say(Word['billing.turnedBack']);
  if (checkout === 'success') return say(Word['billing.paid']);
  return '';
}

/** Stripe sends the browser back before it informs the service: the page asks again until the subscription is there. */
function useAwaited(isPaid: boolean, again: () => Promise<void>): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    if (!isPaid || isOver) return;
    const timer = setInterval(again, POLL_MS);
    const end = setTimeout(() => setOver(true), PATIENCE_MS);
    return () => {
      clearInterval(timer);
      clearTimeout(end);
    };
  }, [isPaid, isOver]);
  return isPaid && !isOver;
}
