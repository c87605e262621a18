import { showPage } from '../parts/show-page.js';
import { Activity } from './activity.js';

/** The screen of what was done, which every admin has. */
showPage({ activity: Activity });
