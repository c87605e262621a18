import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { MinRole, Public, Role } from '../../src/latchkey.js';
import { TestApp } from '../support/test-app.js';

class Readable {
  @Get()
  read() {
    return { from: this.constructor.name };
  }
}

@Controller('prices')
@Public()
class Prices extends Readable {}

@Controller('salaries')
@MinRole(Role.SYSTEM_ADMIN)
class Salaries extends Readable {}

@Module({ controllers: [Prices, Salaries] })
class Product {}

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({}, { product: { modules: [Product] } });
});
afterAll(() => app.close());

describe('two controllers that inherit a handler', () => {
  it('have each the rules of their own class, whichever is called first', async () => {
    const statusOf = async (path: string) => (await app.browser().get(path)).status;

    expect(await statusOf('/prices')).toBe(200);
    expect(await statusOf('/salaries')).toBe(401);
    expect(await statusOf('/prices')).toBe(200);
  });
});
