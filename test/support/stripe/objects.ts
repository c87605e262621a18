// Stripe's objects, as far as the stand-in keeps them.

export interface Product {
  id: string;
  active: boolean;
  name: string;
  description: string | null;
}

export interface Price {
  id: string;
  object: 'price';
  active: boolean;
  product: string;
  currency: string;
  /** Sent only where a request expands it. */
  currency_options?: Record<string, object>;
  /** Null where it has steps. */
  metadata: Record<string, string>;
  unit_amount_decimal: string | null;
  transform_quantity: { divide_by: number; round: 'up' | 'down' } | null;
  recurring: { interval: 'month'; interval_count: number; usage_type: 'licensed' | 'metered' } | null;
}

export interface Customer {
  id: string;
  object: 'customer';
  deleted?: true;
  livemode: boolean;
  /** In which it pays recurring prices; null until it has one. */
  currency: string | null;
  email?: string;
  name?: string;
  preferred_locales?: Record<string, string>;
  metadata: Record<string, string>;
}

export interface Session {
  id: string;
  object: 'checkout.session';
  mode: 'subscription' | 'payment';
  status: 'open' | 'complete' | 'expired';
  payment_status: 'paid' | 'unpaid';
  customer: string;
  subscription: string | null;
  url: string | null;
  success_url: string;
  cancel_url: string | null;
  locale: string;
  /** Days of the trial with which its subscription begins; null for none. */
  trial_period_days: number | null;
  line_items: { price: string; quantity: number | undefined }[];
}

export interface Subscription {
  id: string;
  object: 'subscription';
  customer: string;
  status: string;
  created: number;
  cancel_at: number | null;
  trial_start: number | null;
  cancel_at_period_end: boolean;
  items: {
    object: 'list';
    data: { id: string; created: number; quantity?: number; current_period_end: number; price: Price }[];
  };
}

export interface Invoice {
  id: string;
  object: 'invoice';
  customer: string;
  subscription: string;
  status: 'open' | 'paid' | 'void';
  created: number;
  /** Null where the payment method is charged. */
  due_date: number | null;
}

export interface Event {
  id: string;
  object: 'event';
  api_version: string;
  created: number;
  livemode: boolean;
  type: string;
  data: { object: unknown };
}
