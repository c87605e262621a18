// What a replica answers for the script of a page that came from another build.
import { loadAgain } from './load-again.js';

loadAgain();
