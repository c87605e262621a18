import { isProblem } from '../../../client/problem.js';
import { ButtonLink, Submit } from '../parts/button.js';
import { facts } from '../parts/facts.js';
import { Form, leaveFor } from '../parts/form.js';
import { Section } from '../parts/frame.js';
import { CARD } from '../parts/icons.js';
import { Loaded, useLoad } from '../parts/load.js';
import { locale } from '../parts/locale.js';
import { Alert } from '../parts/notice.js';
import { wayBack } from '../parts/return-to.js';
import { Row, Rows } from '../parts/rows.js';
import { listed, Rich, say, Word } from '../parts/say.js';
import type { latchkey } from '../parts/service.js';

/** As Stripe names them. */
type Interval = 'day' | 'week' | 'month' | 'year';

type Offer = Awaited<ReturnType<typeof latchkey.listPrices>>['data'][number];

/** Who pays: an organization of the user, or with null the user. */
export interface Payer {
  client: ReturnType<typeof latchkey.in>;
  orgId: string | null;
  /** Whether the API lets the user change and end what is paid for: of an organization, its admins alone. */
  mayManage: boolean;
}

/** What a user can subscribe to, and what it costs, before anybody leaves for Stripe: one price, or those of the settings. */
export function Plans({ payer, priceId }: { payer: Payer; priceId: string | null }) {
  const { client } = payer;
  const plans = useLoad(async () => {
    try {
      const { data } = await client.listPrices(priceId ? { price_id: priceId } : {});
      return { offers: data, isGone: false };
    } catch (error) {
      if (!isProblem(error, 'UnknownPrice', 'ValidationFailed')) throw error;
      return { offers: (await client.listPrices()).data, isGone: true };
    }
  });
  return (
    <Section name="plans" title={say(Word['plans.title'])}>
      <Loaded from={plans} rows={1}>
        {({ offers, isGone }) => (
          <>
            {isGone && <Alert isWarning>{say(Word['plans.gone'])}</Alert>}
            {offers.length === 0 && <NoPlans />}
            {offers.length > 0 && !payer.mayManage && (
              <p class="quiet">
                {say(Word['plans.anyone'])} <AskAdmins payer={payer} />
              </p>
            )}
            {offers.length > 0 && (
              <Rows>
                {offers.map((offer) => (
                  <Plan key={offer.price_id} client={client} offer={offer} isOnly={offers.length === 1} />
                ))}
              </Rows>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Plan({ client, offer, isOnly }: Pick<Payer, 'client'> & { offer: Offer; isOnly: boolean }) {
  const { price_id, product, description } = offer;
  return (
    <Row
      icon={CARD}
      note={
        <>
          {description && (
            <>
              <bdi>{description}</bdi>
              <br />
            </>
          )}
          {costInWords(offer)}
        </>
      }
      acts={
        <Form act={async () => leaveFor((await client.checkout({ price_id })).url)}>
          <Submit {...(!isOnly && { 'aria-label': say(Word['plans.payNamed'], { plan: product }) })}>
            {say(Word['plans.pay'])}
          </Submit>
        </Form>
      }
    >
      <strong>
        <bdi>{product}</bdi>
      </strong>
    </Row>
  );
}

/** For a product that names its prices itself, in the links that lead here. */
function NoPlans() {
  const home = wayBack() ?? facts.homeUrl;
  return (
    <Rows>
      <Row
        acts={
          home && (
            <ButtonLink href={home} weight="plain">
              {say(Word['plans.goThere'])}
            </ButtonLink>
          )
        }
      >
        {say(Word['plans.elsewhere'])}
      </Row>
    </Rows>
  );
}

/** What is paid for now, as long as it is on sale. */
export function PresentPlan({ payer: { client }, priceId }: { payer: Payer; priceId: string }) {
  const plan = useLoad(async () => {
    try {
      return (await client.listPrices({ price_id: priceId })).data[0];
    } catch (error) {
      if (!isProblem(error, 'UnknownPrice')) throw error;
      return undefined;
    }
  });
  const offer = plan.state === 'loaded' ? plan.data : undefined;
  const missing = plan.state === 'loading' ? '…' : say(Word['plans.notOnSale']);
  return (
    <Row label={say(Word['plans.plan'])} note={offer && costInWords(offer)}>
      {offer ? <bdi>{offer.product}</bdi> : missing}
    </Row>
  );
}

/** Says whom to ask for a change: who administers the organization that pays. */
export function AskAdmins({ payer: { client } }: { payer: Payer }) {
  const admins = useLoad(() => client.listMembers({ role: 'org_admin', limit: 3 }));
  const names = admins.state === 'loaded' ? admins.data.data.map(({ name, email }) => name ?? email) : [];
  if (names.length === 0) return <>{say(Word['billing.askAdmin'])}</>;
  return <Rich word={Word['billing.askAdmins']} given={{ admins: listed(names) }} />;
}

/** A price, for what and for how long, as the user's country writes it. */
function costInWords(offer: Offer): string {
  const { unit_amount, total, quantity, is_per_seat, is_metered } = offer;
  const rhythm = rhythmOf(offer);
  if (unit_amount === null) return say(Word['plans.unknown'], rhythm);
  const price = money(unit_amount, offer);
  if (is_metered) return say(Word['plans.metered'], { price, ...rhythm });
  if (!is_per_seat || total === null || quantity === null)
    return say(Word['plans.price'], { price, ...rhythm });
  const cost = say(Word['plans.price'], { price: money(total, offer), ...rhythm });
  return say(Word['plans.seats'], { price, seats: quantity, cost });
}

/** How often it is paid: every so many days, weeks, months or years. */
function rhythmOf({ recurring }: Offer): { every: Interval | 'once'; count: number } {
  if (recurring === null) return { every: 'once', count: 1 };
  return { every: recurring.interval as Interval, count: recurring.interval_count };
}

function money(amount: string, { currency }: Offer): string {
  const style = { style: 'currency', currency, maximumFractionDigits: 12 } as const;
  return new Intl.NumberFormat(locale, style).format(Number(amount));
}
