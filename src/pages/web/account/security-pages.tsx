import { showPage } from '../parts/show-page.js';
import { Security } from './security.js';

/** The page about how the account is kept safe. */
showPage({ security: Security });
