import { useEffect, useState } from 'preact/hooks';
import { Submit } from '../parts/button.js';
import { Form, leaveFor } from '../parts/form.js';
import { AccountPage, Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import { Row, Rows } from '../parts/rows.js';
import { latchkey } from '../parts/service.js';
import { Time } from '../parts/time.js';
import { subscriptionInWords } from '../parts/words.js';

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
  const subscription = loading.state === 'loaded' ? loading.data.subscription : null;
  const isAwaited = useAwaited(query.get('checkout') === 'success' && !subscription, loading.again);
  const priceId = query.get('price_id');
  return (
    <Section title="Subscription">
      <Loaded from={loading} rows={2}>
        {() =>
          subscription ? (
            <Present {...subscription} />
          ) : (
            <Rows>
              <Row
                icon="card"
                note={isAwaited ? 'Your subscription begins in a moment.' : notes(query.get('checkout'))}
                acts={
                  priceId &&
                  !isAwaited && (
                    <Form
                      act={async () => {
                        const { url } = await latchkey.checkout({ price_id: priceId });
                        await leaveFor(url);
                      }}
                    >
                      <Submit>Subscribe</Submit>
                    </Form>
                  )
                }
              >
                {isAwaited ? <strong>Thank you.</strong> : 'You have no subscription.'}
              </Row>
            </Rows>
          )
        }
      </Loaded>
    </Section>
  );
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
      <Row label="Seats">{quantity}</Row>
      {current_period_end && (
        <Row label={cancel_at_period_end ? 'Ends' : 'Renews'}>
          <Time at={current_period_end} as="day" />
        </Row>
      )}
      <Row
        acts={
          <Form act={async () => leaveFor((await latchkey.openPortal()).url)}>
            <Submit weight="plain">Change or cancel</Submit>
          </Form>
        }
        note="Invoices, cards and the plan are at our payment provider, Stripe."
      >
        Payment
      </Row>
    </Rows>
  );
}

function notes(checkout: string | null): string {
  if (checkout === 'canceled') return 'You turned back before you paid. Nothing was charged.';
  if (checkout === 'success') return 'Stripe has not reported your payment yet. Look again in some minutes.';
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
