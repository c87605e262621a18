import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { Compressed } from '../../src/http/compression.js';
import { B2BOnly, B2COnly } from '../../src/http/route.js';
import { MinRole, Public, Role } from '../../src/latchkey.js';
import { TestApp } from '../support/test-app.js';

/** A module with two controllers that inherit one handler: a public one, and one for SYSTEM_ADMINs. */
function productAt(path: string) {
  class Readable {
    @Get()
    read() {
      return { from: this.constructor.name };
    }
  }

  @Controller(`${path}/prices`)
  @Public()
  class Prices extends Readable {}

  @Controller(`${path}/salaries`)
  @MinRole(Role.SYSTEM_ADMIN)
  class Salaries extends Readable {}

  @Controller(`${path}/closed`)
  @Public()
  class Closed {
    @Get('above')
    @Compressed()
    @B2BOnly()
    above() {
      return {};
    }

    @Get('below')
    @B2BOnly()
    @Compressed()
    below() {
      return {};
    }
  }

  @Module({ controllers: [Prices, Salaries, Closed] })
  class Product {}
  return Product;
}

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({}, { product: { modules: [productAt('shop'), productAt('office')] } });
});
afterAll(() => app.close());

describe('two controllers that inherit a handler', () => {
  it.each([
    ['the public one', ['/shop/prices', '/shop/salaries', '/shop/prices'], [200, 401, 200]],
    ['the guarded one', ['/office/salaries', '/office/prices', '/office/salaries'], [401, 200, 401]],
  ])('have each the rules of their own class, if %s is called first', async (_, paths, expected) => {
    const statuses: number[] = [];
    for (const path of paths) statuses.push((await app.browser().get(path)).status);

    expect(statuses).toEqual(expected);
  });
});

describe('two decorators of one route', () => {
  it.each(['above', 'below'])('do not replace one another: the one %s closes it in B2C', async (place) => {
    expect((await app.browser().get(`/shop/closed/${place}`)).status).toBe(404);
  });

  it('do not both say when it is open', () => {
    const declare = () => {
      class Closed {
        @B2COnly()
        @B2BOnly()
        read() {}
      }
      return Closed;
    };

    expect(declare).toThrow('Two decorators of read say isOpen.');
  });
});
