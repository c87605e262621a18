import { expect } from '@jest/globals';
import type { TestOrg } from '../support/orgs.js';

/** Each screen, asked for what belongs to another organization. */
export function addressesOf({ id, admin, member }: TestOrg, own: TestOrg): string[] {
  const [adminEmail, memberEmail] = [admin.email, member.email].map(encodeURIComponent);
  return [
    `/organization?id=${id}`,
    `/organization?id=${id.toUpperCase()}&role=member`,
    `/organization?id=${own.id}&id=${id}&org_id=${id}`,
    `/organization?id=${encodeURIComponent(`${own.id}/../${id}`)}`,
    `/organization?search=${memberEmail}`,
    `/organization?ids=${member.id}&status=pending`,
    '/organizations',
    `/organizations?search=Globex&ids=${id}`,
    '/users',
    `/users?search=${adminEmail}&org_id=${id}&ids=${admin.id}`,
    `/user?id=${member.id}`,
    `/user?id=${own.member.id}&id=${member.id}`,
    '/activity?scope=all',
    `/activity?org_id=${id}&org=${id}`,
    '/activity?org=Globex',
    `/activity?user=${memberEmail}&user_id=${member.id}&person=${member.id}`,
    `/activity?person=${memberEmail}&type=member.*`,
    `/mail?search=${memberEmail}`,
    '/mail?state=sent',
    `/billing?org_id=${id}`,
    `/billing?status=active&user_id=${admin.id}`,
    '/system',
  ];
}

/** The screens with several pages, at the second page of what belongs to an organization. */
export async function furtherPagesOf({ id, admin }: TestOrg): Promise<string[]> {
  const cursor = async (list: string) => (await admin.get(`${list}limit=1`)).body.next_cursor as string;
  const members = await cursor(`/orgs/${id}/members?`);
  const invitations = await cursor(`/orgs/${id}/invitations?`);
  const events = await cursor('/audit-events?scope=org&');
  expect([members, invitations, events]).not.toContain(null);
  return [
    `/organization?id=${id}&cursor=${members}&invitations_cursor=${invitations}`,
    `/organization?cursor=${members}&invitations_cursor=${invitations}`,
    `/activity?cursor=${events}`,
    `/activity?cursor=${events}&org=${id}`,
    ...['organizations', 'users', 'mail', 'billing'].map((screen) => `/${screen}?cursor=${members}`),
  ];
}
