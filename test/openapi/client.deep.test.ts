import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { document } from '../support/document.js';

const run = promisify(execFile);
const program = (name: string) => resolve('node_modules/.bin', name);

/** What a developer of an SPA writes against the client, right and wrong. */
const USE = `
import { api } from './api';

const login = await api('post', '/auth/login', { body: { email: 'ada@example.com', password: 'secret' } });
if ('pending_login' in login) throw login.pending_login.methods;
const { user, session } = login;
const role: 'readonly' | 'member' | 'org_admin' | 'sys_admin' = user.role;
const id: string = session.id;
const nothing: undefined = await api('delete', '/sessions/{id}', { path: { id } });
const next: string | null = (await api('get', '/users', { query: { limit: 3, role: 'member' } })).next_cursor;
export { role, nothing, next };

// @ts-expect-error: there is no such operation
await api('get', '/auth/login');
// @ts-expect-error: there is no such path
await api('post', '/auth/log-in');
// @ts-expect-error: the password is missing
await api('post', '/auth/login', { body: { email: 'ada@example.com' } });
// @ts-expect-error: this is in no answer
user.password;
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-client-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('the client of the example', () => {
  it('compiles only where it fits what the service accepts and answers, and so do its pages', async () => {
    await cp('test/browser/spa', folder, { recursive: true });
    await writeFile(join(folder, 'use.ts'), USE);
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));

    await run(program('openapi-typescript'), ['openapi.json', '--output', 'client.d.ts'], { cwd: folder });
    const compiled = run(program('tsc'), ['--project', folder]);

    await expect(compiled).resolves.toEqual({ stdout: '', stderr: '' });
  }, 90_000);
});
