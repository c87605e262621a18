import { randomBytes } from 'node:crypto';
import type { Customer, Event, Invoice, Price, Product, Session, Subscription } from './objects.js';
import { StripeFault } from './requests.js';

const MONTH = 30 * 24 * 60 * 60;

/** What a Stripe account holds, and what happens in it; it reports each happening as events. */
export class StripeAccount {
  readonly products = new Map<string, Product>();
  readonly prices = new Map<string, Price>();
  readonly customers = new Map<string, Customer>();
  readonly sessions = new Map<string, Session>();
  readonly subscriptions = new Map<string, Subscription>();
  readonly invoices = new Map<string, Invoice>();
  /** Everything it reported, in the order it happened. */
  readonly events: Event[] = [];
  /** Where people pay, and where they manage what they pay for. */
  readonly pages = { checkout: 'https://checkout.stripe.test', portal: 'https://billing.stripe.test' };

  private second = Math.floor(Date.now() / 1000);

  addPrice({
    id = newId('price'),
    isRecurring = true,
    isActive = true,
    isProductActive = true,
    isMetered = false,
    currency = 'eur',
    otherCurrencies = [] as string[],
    /** In the smallest coin; null for a price that has steps. */
    amount = '900' as string | null,
    months = 1,
    packageOf = null as number | null,
    metadata = {} as Record<string, string>,
    name = 'Analytical Engine',
    description = null as string | null,
  } = {}): string {
    const product = { id: newId('prod'), active: isProductActive, name, description };
    const recurring = {
      interval: 'month',
      interval_count: months,
      usage_type: isMetered ? 'metered' : 'licensed',
    } as const;
    const price: Price = {
      id,
      object: 'price',
      active: isActive,
      product: product.id,
      recurring: isRecurring ? recurring : null,
      metadata,
      unit_amount_decimal: amount,
      transform_quantity: packageOf === null ? null : { divide_by: packageOf, round: 'up' },
      currency,
      currency_options: Object.fromEntries([currency, ...otherCurrencies].map((one) => [one, {}])),
    };
    this.products.set(product.id, product);
    this.prices.set(price.id, price);
    return price.id;
  }

  addCustomer(details: Partial<Customer> = {}): Customer {
    const customer: Customer = {
      id: newId('cus'),
      object: 'customer',
      livemode: false,
      currency: null,
      metadata: {},
      ...details,
    };
    this.customers.set(customer.id, customer);
    this.report('customer.created', customer);
    return customer;
  }

  updateCustomer(id: string, details: Partial<Customer>): Customer {
    const customer = Object.assign(this.livingCustomer(id), details);
    this.report('customer.updated', customer);
    return customer;
  }

  /** Deletes a customer, whose subscriptions end with it. */
  deleteCustomer(id: string): void {
    for (const { id: subscriptionId, status } of this.subscriptionsOf(id)) {
      if (status !== 'canceled') this.endSubscription(subscriptionId);
    }
    const customer = this.livingCustomer(id);
    customer.deleted = true;
    this.report('customer.deleted', customer);
  }

  /** As if it had been made in another account, or with a key of the other mode. */
  loseCustomer(id: string): () => void {
    const customer = this.livingCustomer(id);
    this.customers.delete(id);
    return () => this.customers.set(id, customer);
  }

  livingCustomer(id: string, param?: string): Customer {
    const customer = this.customers.get(id);
    if (!customer || customer.deleted) throw StripeFault.missing('customer', id, param);
    return customer;
  }

  addSession(
    details: Pick<Session, 'mode' | 'customer' | 'success_url' | 'cancel_url' | 'line_items'> &
      Partial<Pick<Session, 'locale' | 'trial_period_days'>>,
  ): Session {
    const id = newId('cs_test');
    const session: Session = {
      id,
      object: 'checkout.session',
      status: 'open',
      payment_status: 'unpaid',
      subscription: null,
      locale: 'auto',
      trial_period_days: null,
      url: `${this.pages.checkout}/c/pay/${id}`,
      ...details,
    };
    this.sessions.set(id, session);
    return session;
  }

  expireSession(id: string): Session {
    const session = this.openSession(id);
    return Object.assign(session, { status: 'expired', url: null });
  }

  /** The customer pays. */
  completeSession(id: string): Session {
    const session = this.openSession(id);
    Object.assign(session, { status: 'complete', payment_status: 'paid', url: null });
    const [item] = session.line_items;
    if (session.mode === 'subscription' && item)
      session.subscription = this.addSubscription(
        session.customer,
        item.price,
        item.quantity,
        session.trial_period_days === null ? 'active' : 'trialing',
      ).id;
    this.report('checkout.session.completed', session);
    return session;
  }

  addSubscription(customer: string, priceId: string, quantity?: number, status = 'active'): Subscription {
    const price = this.prices.get(priceId);
    if (!price) throw StripeFault.missing('price', priceId);
    const created = this.tick();
    const item = { id: newId('si'), created, current_period_end: created + MONTH, price };
    const subscription: Subscription = {
      id: newId('sub'),
      object: 'subscription',
      customer,
      status,
      created,
      cancel_at: null,
      cancel_at_period_end: false,
      trial_start: status === 'trialing' ? created : null,
      items: { object: 'list', data: [{ ...item, ...(quantity !== undefined && { quantity }) }] },
    };
    this.subscriptions.set(subscription.id, subscription);
    // From now on the customer pays in this currency, whatever becomes of the subscription.
    this.livingCustomer(customer).currency ??= price.currency;
    this.report('customer.subscription.created', subscription);
    this.report('invoice.paid', this.addInvoice(subscription.id, 'paid'));
    return subscription;
  }

  updateSubscription(
    id: string,
    changes: Partial<Subscription> & { quantity?: number; current_period_end?: number },
    kind = 'updated',
  ): Subscription {
    const { quantity, current_period_end, ...rest } = changes;
    const subscription = Object.assign(this.subscription(id), rest);
    const [item] = subscription.items.data;
    if (item && quantity !== undefined) item.quantity = quantity;
    if (item && current_period_end !== undefined) item.current_period_end = current_period_end;
    this.report(`customer.subscription.${kind}`, subscription);
    return subscription;
  }

  endSubscription(id: string): Subscription {
    if (this.subscription(id).status === 'canceled') throw StripeFault.missing('subscription', id);
    return this.updateSubscription(id, { status: 'canceled', cancel_at_period_end: false }, 'deleted');
  }

  /** The next period begins, and its invoice is paid. */
  renew(id: string): void {
    const [item] = this.subscription(id).items.data;
    this.updateSubscription(id, { current_period_end: (item?.current_period_end ?? 0) + MONTH });
    this.report('invoice.paid', this.addInvoice(id, 'paid'));
  }

  /** The next period begins, and its invoice cannot be paid. */
  failPayment(id: string, created = this.tick(), dueDate: number | null = null): void {
    const invoice = Object.assign(this.addInvoice(id, 'open', created), { due_date: dueDate });
    this.report('invoice.payment_failed', invoice);
    this.updateSubscription(id, { status: 'past_due' });
  }

  /** All that is owed is paid. */
  settle(id: string): void {
    for (const invoice of this.invoicesOf(id, 'open')) {
      invoice.status = 'paid';
      this.report('invoice.paid', invoice);
    }
    this.updateSubscription(id, { status: 'active' });
  }

  /** Newest first, as Stripe lists. */
  subscriptionsOf(customer: string): Subscription[] {
    return [...this.subscriptions.values()].filter((one) => one.customer === customer).reverse();
  }

  invoicesOf(subscription: string, status: string): Invoice[] {
    const all = [...this.invoices.values()];
    return all
      .filter((one) => one.subscription === subscription && one.status === status)
      .sort((a, b) => b.created - a.created);
  }

  report(type: string, object: unknown, { livemode = false } = {}): Event {
    const event: Event = {
      id: newId('evt'),
      object: 'event',
      api_version: '2026-10-28.endive',
      created: this.second,
      livemode,
      type,
      data: { object: structuredClone(object) },
    };
    this.events.push(event);
    return event;
  }

  subscription(id: string): Subscription {
    const subscription = this.subscriptions.get(id);
    if (!subscription) throw StripeFault.missing('subscription', id);
    return subscription;
  }

  session(id: string): Session {
    const session = this.sessions.get(id);
    if (!session) throw StripeFault.missing('checkout.session', id);
    return session;
  }

  private openSession(id: string): Session {
    const session = this.session(id);
    if (session.status !== 'open')
      throw new StripeFault(400, 'Only Checkout Sessions with a status in ["open"] can be expired or paid.');
    return session;
  }

  private addInvoice(subscription: string, status: Invoice['status'], created = this.tick()): Invoice {
    const { customer } = this.subscription(subscription);
    const invoice: Invoice = {
      id: newId('in'),
      object: 'invoice',
      customer,
      subscription,
      status,
      created,
      due_date: null,
    };
    this.invoices.set(invoice.id, invoice);
    return invoice;
  }

  /** No two things happen in the same second, so that what is newest is never a matter of chance. */
  private tick(): number {
    return ++this.second;
  }
}

export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}
