import { count, type Described, flag, named, nullable, object, text } from '../validation/schema.js';
import type { Offer } from './prices.service.js';

export const OfferSchema = named('Offer', {
  price_id: text,
  product: text,
  description: nullable(text),
  currency: text,
  unit_amount: nullable(text),
  recurring: nullable(object({ interval: text, interval_count: count })),
  is_metered: flag,
  is_per_seat: flag,
  quantity: nullable(count),
  total: nullable(text),
});

export function offerView({
  price,
  unitAmount,
  quantity,
  isPerSeat,
  total,
}: Offer): Described<typeof OfferSchema> {
  const { id, product, currency, recurring } = price;
  return {
    price_id: id,
    product: product.name,
    description: product.description,
    currency,
    unit_amount: unitAmount,
    recurring: recurring && { interval: recurring.interval, interval_count: recurring.interval_count },
    is_metered: recurring?.usage_type === 'metered',
    is_per_seat: isPerSeat,
    quantity,
    total,
  };
}
