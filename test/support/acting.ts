import { loggedInAs } from './accounts.js';
import type { Browser } from './browser.js';
import type { Member } from './orgs.js';
import type { TestApp } from './test-app.js';

export const REASON = 'Ada asked why her report is empty';

/** A browser in which a SYSTEM_ADMIN acts, and whose it is. */
export type ActingBrowser = Browser & { admin: Member; sessionId: string };

/** Lets a SYSTEM_ADMIN of their own act for a user, in an organization of theirs or in none. */
export async function actingFor(
  app: TestApp,
  user: { id: string },
  { orgId = 'none', write = false, admin }: { orgId?: string; write?: boolean; admin?: Member } = {},
): Promise<ActingBrowser> {
  const browser = admin ?? (await loggedInAs(app, 'sys_admin'));
  const begun = await browser.post(`/users/${user.id}/act`, { reason: REASON, org_id: orgId, write });
  if (begun.status !== 201) throw new Error(`acting answered ${begun.status} ${begun.text}`);
  return Object.assign(browser, { admin: browser, sessionId: begun.body.session.id });
}
