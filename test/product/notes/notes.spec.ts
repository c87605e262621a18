import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTest, type TestService } from 'latchkey/testing';
import { product } from './product.js';

let service: TestService;
before(async () => {
  service = await startTest(product);
});
after(() => service.stop());

test('the members of an organization read what one of them notes', async () => {
  const ada = await service.seed.user({ org: 'Initech' });
  const grace = await service.seed.user({ org: 'Initech', role: 'readonly' });
  const path = `/orgs/${ada.org_id}/notes`;

  const kept = await ada.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'Call Charles back' }),
  });
  assert.equal(kept.status, 201);
  const { data } = (await (await grace.fetch(path)).json()) as { data: { text: string }[] };

  assert.deepEqual(
    data.map(({ text }) => text),
    ['Call Charles back'],
  );
});

test('a person who is not logged in reads no notes', async () => {
  const { statusCode } = await service.app.inject('/orgs/019aa4f2-3c1e-7d55-b1b0-0f3f6c2d9a11/notes');

  assert.equal(statusCode, 401);
});
