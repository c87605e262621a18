import { Injectable } from '@nestjs/common';
import type Stripe from 'stripe';
import { Environment } from '../config/environment.js';
import { UnknownPrice } from '../http/errors.js';
import { InjectStripe } from './stripe-client.js';
import { isStripeError } from './stripe-error.js';

/** The prices a client may check out with. */
@Injectable()
export class PricesService {
  constructor(
    @InjectStripe() private readonly stripe: Stripe,
    private readonly environment: Environment,
  ) {}

  /** A price, if it is on sale: among those named if any are, and active like its product. Throws UnknownPrice. */
  async onSale(id: string): Promise<Stripe.Price> {
    const { stripePriceIds } = this.environment;
    if (stripePriceIds.length > 0 && !stripePriceIds.includes(id)) throw new UnknownPrice();

    const price = await this.find(id);
    if (!price.active || !isActive(price.product)) throw new UnknownPrice();
    return price;
  }

  private async find(id: string): Promise<Stripe.Price> {
    try {
      return await this.stripe.prices.retrieve(id, { expand: ['product'] });
    } catch (error) {
      if (isStripeError(error) && error.code === 'resource_missing') throw new UnknownPrice();
      throw error;
    }
  }
}

function isActive(product: Stripe.Price['product']): boolean {
  return typeof product !== 'string' && !product.deleted && product.active;
}
