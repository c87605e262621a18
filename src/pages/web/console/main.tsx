import { type ComponentType, render } from 'preact';
import { hideWhileAway } from '../parts/session.js';
import { Activity } from './activity.js';
import { Organization } from './organization.js';
import { Organizations } from './organizations.js';
import { Overview } from './overview.js';
import { User } from './user.js';
import { Users } from './users.js';

/** The screens, by the last part of their path. */
const SCREENS: Record<string, ComponentType> = {
  activity: Activity,
  admin: Overview,
  organization: Organization,
  organizations: Organizations,
  user: User,
  users: Users,
};

const Screen = SCREENS[location.pathname.split('/').at(-1) ?? ''];
const root = document.getElementById('page');
if (Screen && root) {
  hideWhileAway(root);
  render(<Screen />, root);
}
