import { IsIn, IsOptional, IsUUID } from 'class-validator';
import { isPriceId } from '../config/variables.js';
import { PageQuery } from '../http/page.js';
import { check } from '../validation/check.js';
import { STATUSES } from './subscription-state.js';

export class ListCustomers extends PageQuery {
  @IsOptional()
  @IsUUID()
  readonly org_id?: string;

  @IsOptional()
  @IsUUID()
  readonly user_id?: string;

  @IsOptional()
  @IsIn(STATUSES)
  readonly status?: string;
}

/** Which customers a list is about. */
export type CustomerFilter = Pick<ListCustomers, 'org_id' | 'user_id' | 'status'>;

const IsPriceId = () =>
  check(
    'isPriceId',
    isPriceId,
    { code: 'not_a_price' },
    {
      type: 'string',
      maxLength: 255,
      examples: ['price_1MoBy5LkdIwHu7ixZhnattbh'],
    },
  );

export class ListPrices {
  /** Only this one; by default those that the settings name. */
  @IsOptional()
  @IsPriceId()
  readonly price_id?: string;
}

export class StartCheckout {
  @IsPriceId()
  readonly price_id: string;
}
