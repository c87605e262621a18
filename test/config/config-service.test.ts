import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigService } from '@nestjs/config';
import { Environment } from '../../src/config/environment.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ SVC_SESSION_COOKIE_NAME: 'ada' });
});
afterAll(() => app.close());

describe('the ConfigService', () => {
  it('gives the settings that the service runs with, by their names', () => {
    const config = app.nest.get(ConfigService);

    expect(config.get('sessionCookieName')).toBe('ada');
    expect(config.get('appMode')).toBe(app.nest.get(Environment).appMode);
  });

  it('puts no setting into the variables of the process, and reads none from there', () => {
    expect(Object.keys(process.env)).not.toContain('sessionCookieName');
    expect(app.nest.get(ConfigService).get('PATH')).toBeUndefined();
  });
});
