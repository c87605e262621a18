import { newId, type StripeAccount } from './account.js';
import type { Parameters } from './requests.js';
import { StripeFault } from './requests.js';

interface Endpoint {
  method: 'GET' | 'POST' | 'DELETE';
  path: RegExp;
  /** The parameters it takes; any other is refused, as Stripe does. */
  takes: string[];
  answer: (account: StripeAccount, parameters: Parameters, id: string) => object;
}

const list = (url: string, data: object[], limit: unknown) => ({
  object: 'list',
  url,
  data: data.slice(0, Number(limit ?? 10)),
  has_more: data.length > Number(limit ?? 10),
});

export const ENDPOINTS: Endpoint[] = [
  {
    method: 'POST',
    path: /^\/v1\/customers$/,
    takes: ['email', 'name', 'metadata'],
    answer: (account, details) => account.addCustomer(details),
  },
  {
    method: 'POST',
    path: /^\/v1\/customers\/(\w+)$/,
    takes: ['email', 'name', 'metadata', 'preferred_locales'],
    answer: (account, details, id) => {
      if (details.email !== undefined && !/^[!-?A-~]+@[!-?A-~]+$/.test(String(details.email)))
        throw new StripeFault(
          400,
          `Invalid email address: ${details.email}`,
          'email_invalid',
          'invalid_request_error',
          'email',
        );
      return account.updateCustomer(id, details);
    },
  },
  {
    method: 'GET',
    path: /^\/v1\/customers\/(\w+)$/,
    takes: [],
    answer: (account, _, id) => {
      const customer = account.customers.get(id);
      if (!customer) throw StripeFault.missing('customer', id);
      return customer.deleted ? { id, object: 'customer', deleted: true } : customer;
    },
  },
  {
    method: 'GET',
    path: /^\/v1\/prices$/,
    takes: ['limit'],
    answer: ({ prices }, { limit }) => list('/v1/prices', [...prices.values()], limit),
  },
  {
    method: 'GET',
    path: /^\/v1\/prices\/([^/]+)$/,
    takes: ['expand'],
    answer: (account, { expand }, id) => {
      const price = account.prices.get(id);
      if (!price) throw StripeFault.missing('price', id);
      const expanded = Object.values(expand ?? {});
      const { currency_options, ...rest } = price;
      return {
        ...rest,
        ...(expanded.includes('currency_options') && { currency_options }),
        product: expanded.includes('product') ? account.products.get(price.product) : price.product,
      };
    },
  },
  {
    method: 'GET',
    path: /^\/v1\/subscriptions$/,
    takes: ['customer', 'status', 'limit'],
    answer: (account, { customer, status, limit }) => {
      const { id } = account.livingCustomer(String(customer), 'customer');
      const all = account.subscriptionsOf(id);
      const wanted = all.filter((one) => status === 'all' || one.status !== 'canceled');
      return list('/v1/subscriptions', wanted, limit);
    },
  },
  {
    method: 'DELETE',
    path: /^\/v1\/subscriptions\/(\w+)$/,
    takes: [],
    answer: (account, _, id) => account.endSubscription(id),
  },
  {
    method: 'POST',
    path: /^\/v1\/subscription_items\/(\w+)$/,
    takes: ['quantity'],
    answer: (account, { quantity }, id) => {
      const subscriptions = [...account.subscriptions.values()];
      const owner = subscriptions.find(({ items }) => items.data.some((item) => item.id === id));
      if (!owner) throw StripeFault.missing('subscription_item', id);
      if (!['active', 'trialing', 'past_due'].includes(owner.status))
        throw new StripeFault(400, `A subscription that is ${owner.status} cannot be updated.`);
      return account.updateSubscription(owner.id, { quantity: Number(quantity) });
    },
  },
  {
    method: 'GET',
    path: /^\/v1\/invoices$/,
    takes: ['subscription', 'status', 'limit'],
    answer: (account, { subscription, status, limit }) =>
      list('/v1/invoices', account.invoicesOf(String(subscription), String(status)), limit),
  },
  {
    method: 'POST',
    path: /^\/v1\/checkout\/sessions$/,
    takes: [
      'mode',
      'customer',
      'line_items',
      'success_url',
      'cancel_url',
      'locale',
      'subscription_data',
      'payment_method_collection',
      'allow_promotion_codes',
      'automatic_tax',
      'customer_update',
      'tax_id_collection',
      'billing_address_collection',
    ],
    answer: addSession,
  },
  {
    method: 'GET',
    path: /^\/v1\/checkout\/sessions\/(\w+)$/,
    takes: [],
    answer: (account, _, id) => account.session(id),
  },
  {
    method: 'POST',
    path: /^\/v1\/checkout\/sessions\/(\w+)\/expire$/,
    takes: [],
    answer: (account, _, id) => account.expireSession(id),
  },
  {
    method: 'POST',
    path: /^\/v1\/billing_portal\/sessions$/,
    takes: ['customer', 'return_url', 'locale'],
    answer: (account, { customer, return_url }) => {
      const { id } = account.livingCustomer(String(customer), 'customer');
      return {
        id: newId('bps'),
        customer: id,
        return_url,
        url: `${account.pages.portal}/p/session/${id}`,
      };
    },
  },
];

function addSession(account: StripeAccount, parameters: Parameters): object {
  const { mode, customer, line_items, success_url, cancel_url, locale } = parameters;
  if (mode !== 'subscription' && mode !== 'payment') throw new StripeFault(400, `Invalid mode: ${mode}`);
  if (typeof success_url !== 'string' || !URL.canParse(success_url))
    throw new StripeFault(400, 'Not a valid URL', 'url_invalid');

  const payer = account.livingCustomer(String(customer), 'customer');
  const items = Object.values(line_items ?? {}) as { price: string; quantity?: string }[];
  for (const { price: id, quantity } of items) {
    const price = account.prices.get(id);
    if (!price) throw StripeFault.missing('price', id, 'line_items[0][price]');
    if (mode === 'subscription' && payer.currency !== null && !price.currency_options?.[payer.currency])
      throw new StripeFault(
        400,
        `You cannot combine currencies on a single customer. This customer has an active subscription, subscription schedule, discount, quote, or invoice item with currency ${payer.currency}.`,
      );
    if (!price.active) throw new StripeFault(400, `The price ${id} is inactive.`);
    if ((price.recurring !== null) !== (mode === 'subscription'))
      throw new StripeFault(400, `A price of this type cannot be used in ${mode} mode.`);
    const isMetered = price.recurring?.usage_type === 'metered';
    if (isMetered !== (quantity === undefined))
      throw new StripeFault(400, 'A quantity is for what is not metered, and required there.');
  }
  checkTerms(parameters);
  return account.addSession({
    mode,
    trial_period_days: trialOf(parameters),
    customer: payer.id,
    success_url,
    cancel_url: typeof cancel_url === 'string' ? cancel_url : null,
    locale: String(locale ?? 'auto'),
    line_items: items.map(({ price, quantity }) => ({
      price,
      quantity: quantity === undefined ? undefined : Number(quantity),
    })),
  });
}

/** What Stripe takes of the terms of a checkout for a customer that it knows. */
function checkTerms(parameters: Parameters): void {
  const { mode, customer_update: update, automatic_tax: tax, tax_id_collection: taxIds } = parameters;
  const refuse = (message: string) => {
    throw new StripeFault(400, message);
  };
  for (const name of ['subscription_data', 'payment_method_collection'])
    if (mode !== 'subscription' && parameters[name] !== undefined)
      refuse(`You can not pass \`${name}\` in \`${mode}\` mode.`);
  for (const [name, values] of Object.entries(CHOICES)) {
    const value = parameters[name];
    if (value !== undefined && !values.includes(String(value))) refuse(`Invalid ${name}: ${value}`);
  }
  if (isOn(tax) && within(update, 'address') !== 'auto')
    refuse('Automatic tax calculation in Checkout requires a valid address on the Customer.');
  if (isOn(taxIds) && within(update, 'name') !== 'auto')
    refuse('Tax ID collection requires updating business name on the customer.');
  const days = within(parameters.subscription_data, 'trial_period_days');
  if (days !== undefined && !(Number.isInteger(Number(days)) && Number(days) >= 1 && Number(days) <= 730))
    refuse(`Invalid trial_period_days: ${days}`);
  const end = within(
    within(within(parameters.subscription_data, 'trial_settings'), 'end_behavior'),
    'missing_payment_method',
  );
  if (end !== undefined && !['cancel', 'create_invoice', 'pause'].includes(String(end)))
    refuse(`Invalid missing_payment_method: ${end}`);
}

const CHOICES: Record<string, string[]> = {
  payment_method_collection: ['always', 'if_required'],
  allow_promotion_codes: ['true', 'false'],
  billing_address_collection: ['auto', 'required'],
};

const within = (parameters: Parameters | string | undefined, name: string) =>
  typeof parameters === 'object' ? parameters[name] : undefined;
const isOn = (parameters: Parameters | string | undefined) => within(parameters, 'enabled') === 'true';

function trialOf({ subscription_data }: Parameters): number | null {
  const days = within(subscription_data, 'trial_period_days');
  return days === undefined ? null : Number(days);
}
