// Runs after the script of the page, also where that one did not come; and a replica answers it for the script of a page
// that came from another build.
import { loadAgain } from './load-again.js';

if (document.querySelector('#page:not([data-begun]) > .late')) loadAgain();
