import { useEffect, useState } from 'preact/hooks';
import { Submit } from '../parts/button.js';
import { Form, leaveFor } from '../parts/form.js';
import { AccountPage, Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import { Row, Rows } from '../parts/rows.js';
import { say, Word } from '../parts/say.js';
import { latchkey } from '../parts/service.js';
import type { User } from '../parts/session.js';
import { Time } from '../parts/time.js';
import { hasEnded, subscriptionInWords } from '../parts/words.js';
import { AskAdmins, mayManage, Plans, PresentPlan } from './plans.js';

type Present = NonNullable<Awaited<ReturnType<typeof latchkey.getSubscription>>['subscription']>;

const POLL_MS = 1000;
const PATIENCE_MS = 30_000;

/**
 * What is paid for, and what could be. A product links here with `?price_id=` of a price at Stripe, or leaves the choice
 * to the page; Stripe sends the browser back with `?checkout=`.
 */
export function Billing() {
  return (
    <AccountPage title={say(Word['billing.title'])}>{(user) => <Subscription user={user} />}</AccountPage>
  );
}

function Subscription({ user }: { user: User }) {
  const query = new URLSearchParams(location.search);
  const loading = useLoad(() => latchkey.getSubscription());
  const last = loading.state === 'loaded' ? loading.data.subscription : null;
  const present = last && !hasEnded(last.status) ? last : null;
  const isAwaited = useAwaited(query.get('checkout') === 'success' && !present, loading.again);
  useEffect(() => {
    // Otherwise a reload would look for the payment again once the subscription has ended.
    if (present && query.has('checkout')) history.replaceState(null, '', location.pathname);
  }, [present]);
  const mayChoose = loading.state === 'loaded' && !present && !isAwaited;
  return (
    <>
      <Section name="subscription" title={say(Word['billing.subscription'])}>
        <Loaded from={loading} rows={2}>
          {() =>
            present ? (
              <Present user={user} subscription={present} />
            ) : (
              <Rows>
                <Row icon="card" note={notes(query.get('checkout'))}>
                  {isAwaited ? (
                    <strong>{say(Word['billing.thanks'])}</strong>
                  ) : (
                    <Last user={user} status={last?.status} />
                  )}
                </Row>
                {last && (
                  <Payment
                    user={user}
                    verb={say(Word['billing.seeInvoices'])}
                    note={say(Word['billing.invoices'])}
                  />
                )}
              </Rows>
            )
          }
        </Loaded>
      </Section>
      {mayChoose && <Plans user={user} priceId={query.get('price_id')} />}
    </>
  );
}

/** What became of the last subscription. */
function Last({ user, status }: { user: User; status: string | undefined }) {
  if (status === undefined)
    return <>{say(user.org_id === null ? Word['billing.none'] : Word['billing.noneOfOrg'])}</>;
  const [words, look] = subscriptionInWords(status);
  return <span class={`badge ${look}`}>{words}</span>;
}

function Present({ user, subscription }: { user: User; subscription: Present }) {
  const { status, price_id, quantity, current_period_end, cancel_at_period_end } = subscription;
  const [words, look] = subscriptionInWords(status);
  return (
    <Rows>
      <Row label={say(Word['billing.status'])}>
        <span class={`badge ${look}`}>{words}</span>
      </Row>
      {price_id && <PresentPlan priceId={price_id} />}
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
      <Payment user={user} verb={say(Word['billing.manage'])} note={say(Word['billing.portal'])} />
    </Rows>
  );
}

function Payment({ user, verb, note }: { user: User; verb: string; note: string }) {
  if (!mayManage(user))
    return (
      <Row note={say(Word['billing.forAdmins'])}>
        <AskAdmins user={user} />
      </Row>
    );
  return (
    <Row
      acts={
        <Form act={async () => leaveFor((await latchkey.openPortal()).url)}>
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
