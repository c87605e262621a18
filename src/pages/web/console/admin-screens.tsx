import type { ComponentType } from 'preact';
import { showPage } from '../parts/show-page.js';
import { Activity } from './activity.js';
import { Organization } from './organization.js';

/** The screens that every admin has, by the last part of their path. */
const SCREENS: Record<string, ComponentType> = {
  activity: Activity,
  organization: Organization,
};

showPage(SCREENS);
