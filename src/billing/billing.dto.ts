import { isPriceId } from '../config/variables.js';
import { check } from '../validation/check.js';

export class StartCheckout {
  @check('isPriceId', isPriceId, 'must be the id of a price', {
    type: 'string',
    maxLength: 255,
    examples: ['price_1MoBy5LkdIwHu7ixZhnattbh'],
  })
  readonly price_id: string;
}
