import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApp, createLog, migrate, readEnvironment } from 'latchkey';
import { product } from './product.js';

const environment = await readEnvironment({ SVC_ENVIRONMENT: 'dev', SVC_LOG_LEVEL: 'silent' });
const app = await createApp(environment, await createLog(environment), product);

before(async () => {
  await migrate(environment, product);
  await app.init();
});
after(() => app.close());

test('the notes of an organization take a session', async () => {
  const { statusCode } = await app.inject('/orgs/019aa4f2-3c1e-7d55-b1b0-0f3f6c2d9a11/notes');

  assert.equal(statusCode, 401);
});
