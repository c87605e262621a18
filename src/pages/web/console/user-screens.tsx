import type { ComponentType } from 'preact';
import { showPage } from '../parts/show-page.js';
import { User } from './user.js';
import { Users } from './users.js';

/** The screens of system admins about users, by the last part of their path. */
const SCREENS: Record<string, ComponentType> = { user: User, users: Users };

showPage(SCREENS);
