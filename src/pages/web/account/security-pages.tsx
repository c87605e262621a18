import { showPage } from '../parts/show-page.js';
import { SecondStep } from './second-step.js';
import { Security } from './security.js';

/** The pages about what proves who the user is, at a login and in the account, by the last part of their path. */
showPage({ 'second-step': SecondStep, security: Security });
