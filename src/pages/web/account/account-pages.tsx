import { showPage } from '../parts/show-page.js';
import { Account } from './account.js';

/** The page about who the user is. */
showPage({ account: Account });
