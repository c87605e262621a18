import { showPage } from '../parts/show-page.js';
import { Billing } from './billing.js';

/** The page of the subscription, which only products that sell one have. */
showPage({ billing: Billing });
