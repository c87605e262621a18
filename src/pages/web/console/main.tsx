import type { ComponentType } from 'preact';
import { showPage } from '../parts/show-page.js';
import { Activity } from './activity.js';
import { Billing } from './billing.js';
import { Mails } from './mail.js';
import { Organization } from './organization.js';
import { Organizations } from './organizations.js';
import { Overview } from './overview.js';
import { System } from './system.js';
import { User } from './user.js';
import { Users } from './users.js';

/** The screens, by the last part of their path. */
const SCREENS: Record<string, ComponentType> = {
  activity: Activity,
  admin: Overview,
  billing: Billing,
  mail: Mails,
  organization: Organization,
  organizations: Organizations,
  system: System,
  user: User,
  users: Users,
};

showPage(SCREENS);
