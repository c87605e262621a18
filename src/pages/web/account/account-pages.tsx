// First of all: it takes a mailed token out of the address.
import '../parts/token.js';
import type { ComponentType } from 'preact';
import { showPage } from '../parts/show-page.js';
import { Account } from './account.js';
import { Security } from './security.js';

/** The pages of the user who is logged in, by the last part of their path. */
const PAGES: Record<string, ComponentType> = {
  account: Account,
  security: Security,
};

showPage(PAGES);
