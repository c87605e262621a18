import type { ComponentType } from 'preact';
import { showPage } from '../parts/show-page.js';
import { Billing } from './billing.js';
import { Mails } from './mail.js';
import { Organizations } from './organizations.js';
import { Overview } from './overview.js';
import { System } from './system.js';

/** The screens of system admins, but those about users, by the last part of their path. The first leads other admins to their organization. */
const SCREENS: Record<string, ComponentType> = {
  admin: Overview,
  billing: Billing,
  mail: Mails,
  organizations: Organizations,
  system: System,
};

showPage(SCREENS);
