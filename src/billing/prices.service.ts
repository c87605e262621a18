import { Injectable } from '@nestjs/common';
import type Stripe from 'stripe';
import { Environment } from '../config/environment.js';
import type { CallerUser } from '../http/caller.js';
import { UnknownPrice } from '../http/errors.js';
import { inUnits } from './amounts.js';
import { BillingCustomersRepository } from './billing-customers.repository.js';
import { InjectStripe } from './stripe-client.js';
import { nullIfMissing } from './stripe-errors.js';

/** How long a price may be shown as it was: a page is opened more often than a price changes. */
const KEPT_MS = 60_000;
const MOST_KEPT = 100;

/** A price on sale, with its product and the currencies that it also has. */
type PriceOnSale = Stripe.Price & { product: Stripe.Product };

/** What a payer would pay for a price. Amounts are in units of the currency; null where they depend on more than that. */
export interface Offer {
  price: PriceOnSale;
  unitAmount: string | null;
  /** How many of it; null where it is paid by use. */
  quantity: number | null;
  isPerSeat: boolean;
  total: string | null;
}

/** The prices on sale: those that the settings name, or else every active one. */
@Injectable()
export class PricesService {
  private readonly kept = new Map<string, { until: number; price: Promise<PriceOnSale | null> }>();

  constructor(
    @InjectStripe() private readonly stripe: Stripe,
    private readonly customers: BillingCustomersRepository,
    private readonly environment: Environment,
  ) {}

  /**
   * What a caller would pay for the price asked for, or for each that the settings name; one of those that is no longer
   * on sale is left out. Throws UnknownPrice for the one asked for.
   */
  async offers({ orgId }: Pick<CallerUser, 'orgId'>, id: string | undefined): Promise<Offer[]> {
    const prices = id === undefined ? await this.named() : [await this.recent(id)];
    const seats = orgId === null ? null : await this.customers.countSeats(orgId);
    return prices.map((price) => offerOf(price, seats));
  }

  /** A price as it is at Stripe now. Throws UnknownPrice where it is not on sale. */
  async get(id: string): Promise<PriceOnSale> {
    this.assertNamed(id);
    return known(await this.read(id));
  }

  private async named(): Promise<PriceOnSale[]> {
    const prices = await Promise.all(this.environment.stripePriceIds.map((id) => this.recentOrNull(id)));
    return prices.filter((price) => price !== null);
  }

  private async recent(id: string): Promise<PriceOnSale> {
    this.assertNamed(id);
    return known(await this.recentOrNull(id));
  }

  /** As it was within the last minute. What failed is not kept. */
  private recentOrNull(id: string): Promise<PriceOnSale | null> {
    const kept = this.kept.get(id);
    if (kept && kept.until > Date.now()) return kept.price;

    const price = this.read(id);
    this.kept.delete(id);
    this.kept.set(id, { until: Date.now() + KEPT_MS, price });
    const [oldest] = this.kept.keys();
    if (this.kept.size > MOST_KEPT && oldest !== undefined) this.kept.delete(oldest);
    price.catch(() => this.kept.delete(id));
    return price;
  }

  private assertNamed(id: string): void {
    const { stripePriceIds } = this.environment;
    if (stripePriceIds.length > 0 && !stripePriceIds.includes(id)) throw new UnknownPrice();
  }

  /** Returns null where Stripe has no such price, or it or its product is no longer sold. */
  private async read(id: string): Promise<PriceOnSale | null> {
    const price = await this.stripe.prices
      .retrieve(id, { expand: ['product', 'currency_options'] })
      .catch(nullIfMissing);
    return price !== null && isOnSale(price) ? price : null;
  }
}

/** The seats of an organization are paid for where a price recurs. What its quantity does to a price by steps only Stripe says. */
function offerOf(price: PriceOnSale, seats: number | null): Offer {
  const isMetered = price.recurring?.usage_type === 'metered';
  const isPerSeat = price.recurring !== null && !isMetered && seats !== null;
  const quantity = isMetered ? null : isPerSeat ? seats : 1;
  const smallest = price.transform_quantity === null ? price.unit_amount_decimal : null;
  const unit = smallest === null ? null : Number(smallest);
  const inCurrency = (amount: number) => inUnits(amount, price.currency);
  return {
    price,
    unitAmount: unit === null ? null : inCurrency(unit),
    quantity,
    isPerSeat,
    total: unit === null || quantity === null ? null : inCurrency(Math.round(unit * quantity)),
  };
}

function known(price: PriceOnSale | null): PriceOnSale {
  if (price === null) throw new UnknownPrice();
  return price;
}

function isOnSale(price: Stripe.Price): price is PriceOnSale {
  const { active, product } = price;
  return active && typeof product !== 'string' && !product.deleted && product.active;
}
