import { useEffect, useState } from 'preact/hooks';
import { Submit } from '../parts/button.js';
import { Form, leaveFor } from '../parts/form.js';
import { AccountPage, Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import { Row, Rows } from '../parts/rows.js';
import { latchkey } from '../parts/service.js';
import { Time } from '../parts/time.js';
import { hasEnded, subscriptionInWords } from '../parts/words.js';

const POLL_MS = 1000;
const PATIENCE_MS = 30_000;

/**
 * What is paid for. A product links here with `?price_id=` of a price at Stripe, which the page then offers; Stripe sends
 * the browser back with `?checkout=`.
 */
export function Billing() {
  return <AccountPage title="Billing">{() => <Subscription />}</AccountPage>;
}

function Subscription() {
  const query = new URLSearchParams(location.search);
  const loading = useLoad(() => latchkey.getSubscription());
  const last = loading.state === 'loaded' ? loading.data.subscription : null;
  const present = last && !hasEnded(last.status) ? last : null;
  const isAwaited = useAwaited(query.get('checkout') === 'success' && !present, loading.again);
  const priceId = query.get('price_id');
  useEffect(() => {
    // Otherwise a reload would look for the payment again once the subscription has ended.
    if (present && query.has('checkout')) history.replaceState(null, '', location.pathname);
  }, [present]);
  return (
    <Section title="Subscription">
      <Loaded from={loading} rows={2}>
        {() =>
          present ? (
            <Present {...present} />
          ) : (
            <Rows>
              <Row
                icon="card"
                note={notes(query.get('checkout'))}
                acts={
                  priceId &&
                  !isAwaited && (
                    <Form
                      act={async () => {
                        const { url } = await latchkey.checkout({ price_id: priceId });
                        await leaveFor(url);
                      }}
                    >
                      <Submit>Continue to payment</Submit>
                    </Form>
                  )
                }
              >
                {isAwaited ? <strong>Thank you.</strong> : <Last status={last?.status} />}
              </Row>
              {last && (
                <Payment verb="See invoices" note="Your invoices are at our payment provider, Stripe." />
              )}
            </Rows>
          )
        }
      </Loaded>
    </Section>
  );
}

/** What became of the last subscription. */
function Last({ status }: { status: string | undefined }) {
  if (status === undefined) return <>You have no subscription.</>;
  const [words, look] = subscriptionInWords(status);
  return <span class={`badge ${look}`}>{words}</span>;
}

function Present({
  status,
  quantity,
  current_period_end,
  cancel_at_period_end,
}: NonNullable<Awaited<ReturnType<typeof latchkey.getSubscription>>['subscription']>) {
  const [words, look] = subscriptionInWords(status);
  return (
    <Rows>
      <Row label="Status">
        <span class={`badge ${look}`}>{words}</span>
      </Row>
      <Row label="Seats">{quantity ?? 'By use'}</Row>
      {current_period_end && (
        <Row label={cancel_at_period_end ? 'Ends' : 'Renews'}>
          <Time at={current_period_end} as="day" />
        </Row>
      )}
      <Payment
        verb="Change or cancel"
        note="Invoices, cards and the plan are at our payment provider, Stripe."
      />
    </Rows>
  );
}

function Payment({ verb, note }: { verb: string; note: string }) {
  return (
    <Row
      acts={
        <Form act={async () => leaveFor((await latchkey.openPortal()).url)}>
          <Submit weight="plain">{verb}</Submit>
        </Form>
      }
      note={note}
    >
      Payment
    </Row>
  );
}

/** A price without a period is paid once, and makes no subscription. */
function notes(checkout: string | null): string {
  if (checkout === 'canceled') return 'You turned back before you paid. Nothing was charged.';
  if (checkout === 'success')
    return 'Your payment is made. A subscription shows here once Stripe has reported it.';
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
