import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { foundOrg, type TestOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

const SVC_PERMISSIONS = JSON.stringify([
  { name: 'reports.read', title: 'Read reports', from: 'readonly' },
  { name: 'reports.export', title: 'Export reports', from: 'org_admin' },
]);

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await TestApp.start({ SVC_PERMISSIONS });
  org = await foundOrg(app);
});
afterAll(() => app.close());

const make = (name: string, permissions: string[] = []) =>
  org.admin.post(`/orgs/${org.id}/roles`, { name, base: 'member', permissions });

const verify = (permission: string) => org.member.get(`/sessions/verify?permission=${permission}`);

describe('a role that an organization composes for a product in a process of its own', () => {
  it('is judged by the rule of the proxy, from the next request on', async () => {
    const { role } = (await make('Analyst', ['reports.export'])).body;
    expect(await verify('reports.export')).toMatchObject({
      status: 403,
      body: { code: 'InsufficientPermission', permission: 'reports.export' },
    });

    await org.admin.patch(`/orgs/${org.id}/members/${org.member.id}`, { role_id: role.id });

    expect((await verify('reports.export')).status).toBe(200);
    expect((await verify('reports.read')).body.permission).toBe('reports.read');
    const removal = await org.admin.delete(`/orgs/${org.id}/roles/${role.id}`);
    expect(removal).toMatchObject({ status: 409, body: { code: 'RoleInUse', members: 1, invitations: 0 } });
  });

  it('has a name of its own', async () => {
    const { role } = (await make('Auditor')).body;
    expect((await make('auditor')).body.code).toBe('RoleNameTaken');
    await make('Reader');
    const renamed = await org.admin.patch(`/orgs/${org.id}/roles/${role.id}`, { name: 'READER' });
    expect(renamed).toMatchObject({ status: 409, body: { code: 'RoleNameTaken' } });
  });

  it('is one of 20 at most', async () => {
    const codes = [];
    for (let n = 0; n < 20; n++) codes.push((await make(`Role ${n}`)).body.code);
    expect(codes.at(-1)).toBe('TooManyRoles');
    expect(
      (await org.admin.get(`/orgs/${org.id}/roles`)).body.data.filter(({ id }: { id: string }) => id),
    ).toHaveLength(20);
  });
});
