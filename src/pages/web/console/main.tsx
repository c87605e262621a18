import { type ComponentType, render } from 'preact';
import { hideWhileAway } from '../parts/session.js';
import { Organization } from './organization.js';
import { Organizations } from './organizations.js';
import { Overview } from './overview.js';

/** The screens, by the last part of their path. */
const SCREENS: Record<string, ComponentType> = {
  admin: Overview,
  organization: Organization,
  organizations: Organizations,
};

const Screen = SCREENS[location.pathname.split('/').at(-1) ?? ''];
const root = document.getElementById('page');
if (Screen && root) {
  hideWhileAway(root);
  render(<Screen />, root);
}
