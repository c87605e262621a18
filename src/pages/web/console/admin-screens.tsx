import { showPage } from '../parts/show-page.js';
import { Organization } from './organization.js';

/** The screen of one organization, which every admin has. */
showPage({ organization: Organization });
