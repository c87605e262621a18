import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { foundOrg, type TestOrg } from '../support/orgs.js';
import { CONSOLE } from './console.js';
import { Stage } from './stage.js';

let stage: Stage;
let org: TestOrg;
beforeAll(async () => {
  stage = await Stage.inDev();
  org = await foundOrg(stage.app);
  await stage.app.database.rows(
    "UPDATE organizations SET created_at = '2026-11-21T12:00:00Z' WHERE id = $1",
    [org.id],
  );
});
afterAll(() => stage.stop());

describe('a page in English', () => {
  it.each([
    ['en-US', 'in Boston', 'Nov 21, 2026'],
    ['en-GB', 'in London', '21 Nov 2026'],
    ['en-ZA', 'in Cape Town', '21 Nov 2026'],
    ['de-DE', 'in a browser that asks for German alone', '21 Nov 2026'],
  ])('writes a date as its reader’s country does: %s, %s', async (locale, _, date) => {
    const ada = await stage.visitor({}, { locale, timezoneId: 'UTC' });
    await ada.logIn(org.admin.email);
    await ada.open(CONSOLE);
    await ada.sees(date);
  });
});
