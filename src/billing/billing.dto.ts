import { isPriceId } from '../config/variables.js';
import { check } from '../validation/check.js';

export class StartCheckout {
  @check('isPriceId', isPriceId, 'must be the id of a price')
  readonly price_id: string;
}
