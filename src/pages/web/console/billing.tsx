import { Submit } from '../parts/button.js';
import { Form } from '../parts/form.js';
import { useLoad } from '../parts/load.js';
import { announce } from '../parts/notice.js';
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

/** Who pays, as the service last read it at Stripe. */
export function Billing() {
  return (
    <Screen title="Billing" audience="sys_admin">
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
        <ChoiceFilter label="Subscription" name="status" options={statusesInWords()} />
      </Filters>
      <List
        from={customers}
        caption="Customers at Stripe, newest first"
        columns={['Who pays', 'Subscription', 'Seats', 'Paid until', 'Last read']}
        row={(customer, { mode }) => ({
          key: customer.id,
          cells: [
            <Payer key="payer" customer={customer} reader={me} mode={mode} />,
            <Status key="status" {...customer} />,
            customer.subscription?.quantity?.toLocaleString() ?? '–',
            <End key="end" {...customer} />,
            customer.read_at ? <Time key="read" at={customer.read_at} /> : 'Never',
          ],
          acts: customer.stripe_customer_id && (
            <Reading id={customer.id} name={nameOf(customer)} again={customers.again} />
          ),
        })}
        empty={<p>No customer has begun to pay yet.</p>}
      />
    </>
  );
}

/** Who pays, and the way to them at Stripe. Without an owner they are known by their id there alone. */
function Payer({
  customer,
  reader,
  mode,
}: {
  customer: Customer;
  reader: User;
  mode: keyof typeof AT_STRIPE;
}) {
  const { org_id, org_name, user_id, user_email, stripe_customer_id } = customer;
  return (
    <div>
      {org_id && <OrgName id={org_id} name={org_name} />}
      {user_id && <Person id={user_id} email={user_email} reader={reader} />}
      {!org_id && !user_id && <span class="quiet">deleted</span>}
      {stripe_customer_id && (
        <small>
          <a
            href={`${AT_STRIPE[mode]}/customers/${stripe_customer_id}`}
            aria-label={`Open at Stripe: ${nameOf(customer)}`}
          >
            Open at Stripe
          </a>
        </small>
      )}
    </div>
  );
}

/** What screen readers and messages call a customer. */
function nameOf({ org_name, user_email, stripe_customer_id }: Customer): string {
  const known = org_name ?? user_email;
  return (known && plain(known)) ?? stripe_customer_id ?? 'this customer';
}

function Status({ subscription, past_due_since }: Customer) {
  if (!subscription) return <span class="badge">None</span>;
  const [words, look] = subscriptionInWords(subscription.status);
  return (
    <div>
      <span class={`badge ${look}`}>{words}</span>
      {past_due_since && (
        <small class="quiet">
          since <Time at={past_due_since} as="day" />
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
      {subscription.cancel_at_period_end && <small class="quiet">then it ends</small>}
    </div>
  );
}

function Reading({ id, name, again }: { id: string; name: string; again: () => Promise<void> }) {
  return (
    <Form
      act={async () => {
        const { corrected } = await latchkey.reconcileCustomer({ id });
        await again();
        announce(`${name} was read at Stripe${corrected ? ', and corrected there' : '. Nothing differed'}.`);
      }}
    >
      <Submit weight="words" aria-label={`Read again: ${name}`}>
        Read again
      </Submit>
    </Form>
  );
}
