// First of all: it takes a mailed code out of the address.
import '../parts/token.js';
import { showPage } from '../parts/show-page.js';
import { LoginCode } from './login-code.js';

/** The page of a mailed code, which is open only where a setting says so. */
showPage({ 'login-code': LoginCode });
