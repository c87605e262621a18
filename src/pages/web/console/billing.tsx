import { Submit } from '../parts/button.js';
import { Form } from '../parts/form.js';
import { useLoad } from '../parts/load.js';
import { locale } from '../parts/locale.js';
import { announce } from '../parts/notice.js';
import { Rich, say, Word } from '../parts/say.js';
import type { User } from '../parts/session.js';
import { Time } from '../parts/time.js';
import { hasEnded, plain, statusesInWords, subscriptionInWords } from '../parts/words.js';
import { asked, askedPage } from './address-query.js';
import { ChoiceFilter, Filters } from './filters.js';
import { Screen } from './frame.js';
import { List } from './list.js';
import { OrgName, Person } from './names.js';
import { latchkey } from './service.js';

type Customer = Awaited<ReturnType<typeof latchkey.listCustomers>>['data'][number];

const AT_STRIPE = { live: 'https://dashboard.stripe.com', test: 'https://dashboard.stripe.com/test' };

type Mode = keyof typeof AT_STRIPE;

/** Who pays, as the service last read it at Stripe. */
export function Billing() {
  return (
    <Screen title={say(Word['frame.section'], { section: 'billing' })} audience="sys_admin">
      {(me) => <Customers me={me} />}
    </Screen>
  );
}

function Customers({ me }: { me: User }) {
  const customers = useLoad(() =>
    latchkey.listCustomers({
      ...askedPage(),
      status: asked('status'),
      org_id: asked('org_id'),
      user_id: asked('user_id'),
    }),
  );
  return (
    <>
      <Filters>
        <ChoiceFilter
          label={say(Word['adminBilling.subscription'])}
          name="status"
          options={statusesInWords()}
        />
      </Filters>
      <List
        from={customers}
        caption={say(Word['adminBilling.caption'])}
        columns={[
          say(Word['adminBilling.payer']),
          say(Word['adminBilling.subscription']),
          say(Word['adminBilling.seats']),
          say(Word['adminBilling.until']),
          say(Word['adminBilling.read']),
        ]}
        row={(customer, { mode }) => ({
          key: customer.id,
          cells: [
            <Payer key="payer" customer={customer} reader={me} mode={modeOf(customer) ?? mode} />,
            <Status key="status" customer={customer} mode={mode} />,
            customer.subscription?.quantity?.toLocaleString(locale) ?? '–',
            <End key="end" {...customer} />,
            customer.read_at ? (
              <Time key="read" at={customer.read_at} />
            ) : (
              say(Word['adminBilling.neverRead'])
            ),
          ],
          acts: customer.stripe_customer_id && (
            <Reading id={customer.id} name={nameOf(customer)} again={customers.again} />
          ),
        })}
        empty={<p>{say(Word['adminBilling.empty'])}</p>}
      />
    </>
  );
}

/** Who pays, and the way to them at Stripe. Without an owner they are known by their id there alone. */
function Payer({ customer, reader, mode }: { customer: Customer; reader: User; mode: Mode }) {
  const { org_id, org_name, user_id, user_email, stripe_customer_id } = customer;
  return (
    <div>
      {org_id && <OrgName id={org_id} name={org_name} />}
      {user_id && <Person id={user_id} email={user_email} reader={reader} />}
      {!org_id && !user_id && <span class="quiet">{say(Word['adminBilling.deleted'])}</span>}
      {stripe_customer_id && (
        <small>
          <a
            href={`${AT_STRIPE[mode]}/customers/${stripe_customer_id}`}
            aria-label={say(Word['adminBilling.openNamed'], { name: nameOf(customer) })}
          >
            {say(Word['adminBilling.open'])}
          </a>
        </small>
      )}
    </div>
  );
}

/** What screen readers and messages call a customer. */
function nameOf({ org_name, user_email, stripe_customer_id }: Customer): string {
  const known = org_name ?? user_email;
  return (known && plain(known)) ?? stripe_customer_id ?? say(Word['adminBilling.nobody']);
}

/** In which mode Stripe made a customer; null where that was not read yet. */
function modeOf({ livemode }: Customer): Mode | null {
  if (livemode === null) return null;
  return livemode ? 'live' : 'test';
}

function Status({ customer, mode }: { customer: Customer; mode: Mode }) {
  const { subscription, past_due_since, unknown_at } = customer;
  const isUnknown = unknown_at !== null || (modeOf(customer) ?? mode) !== mode;
  const [words, look] = subscription
    ? subscriptionInWords(subscription.status)
    : [say(Word['adminBilling.none']), ''];
  return (
    <div>
      <span class={`badge ${look}`}>{words}</span>
      {isUnknown && <small>{say(Word['adminBilling.otherMode'])}</small>}
      {past_due_since && (
        <small class="quiet">
          <Rich word={Word['adminBilling.since']} given={{ when: <Time at={past_due_since} as="day" /> }} />
        </small>
      )}
    </div>
  );
}

function End({ subscription }: Customer) {
  if (!subscription?.current_period_end || hasEnded(subscription.status)) return <>–</>;
  return (
    <div>
      <Time at={subscription.current_period_end} as="day" />
      {subscription.cancel_at_period_end && <small class="quiet">{say(Word['adminBilling.ends'])}</small>}
    </div>
  );
}

function Reading({ id, name, again }: { id: string; name: string; again: () => Promise<void> }) {
  return (
    <Form
      act={async () => {
        const { corrected } = await latchkey.reconcileCustomer({ id });
        await again();
        announce(say(corrected ? Word['adminBilling.corrected'] : Word['adminBilling.same'], { name }));
      }}
    >
      <Submit weight="words" aria-label={say(Word['adminBilling.againNamed'], { name })}>
        {say(Word['adminBilling.again'])}
      </Submit>
    </Form>
  );
}
