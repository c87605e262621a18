import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { takePageFaults } from './error-lines.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.inDev();
});
afterAll(() => stage.stop());

describe('a page of which a part comes from a replica of another build, or does not come', () => {
  it('is there once its script comes from one of its own', async () => {
    const ada = await stage.visitor();
    await anotherBuildIsAsked(ada, 'login', 2);

    await ada.open('/login');

    await ada.sees('No account yet?');
  });

  it('is there once its style sheet comes from one of its own', async () => {
    const ada = await stage.visitor();
    ada.expectRefusal('404 /ui/assets/{id}');
    await anotherBuildIsAsked(ada, 'ui-style', 1);

    await ada.open('/login');

    await ada.sees('No account yet?');
    expect(takePageFaults()).toEqual([expect.stringContaining('Refused to apply style')]);
  });

  it('is there once its script comes at all, though a replica had none', async () => {
    const ada = await stage.visitor();
    ada.expectRefusal('404 /ui/assets/{id}');
    await ada.page.route(/\/ui\/assets\/login-\w{8}\.js/, (route) => route.fulfill({ status: 404 }), {
      times: 2,
    });

    await ada.open('/login');

    await ada.sees('No account yet?');
  });

  it('is there once its words come, though a replica had none', async () => {
    const ada = await stage.visitor();
    ada.expectRefusal('404 /ui/assets/{id}');
    await ada.page.route(
      /\/ui\/assets\/login-words-en-[\w-]+\.json/,
      (route) => route.fulfill({ status: 404 }),
      {
        times: 2,
      },
    );

    await ada.open('/login');

    await ada.sees('No account yet?');
  });

  it('asks for its words once, beside its script', async () => {
    const ada = await stage.visitor();
    const asked: string[] = [];
    ada.page.on('request', (request) => asked.push(request.url()));

    await ada.open('/login');
    await ada.sees('No account yet?');

    expect(asked.filter((url) => url.includes('/login-words-'))).toHaveLength(1);
  });

  it.each([
    ['another build, to which its name says nothing', 'another build'],
    ['a replica that has none', 'none'],
  ])('is there once the file that its script imports no longer comes from %s', async (_, from) => {
    const ada = await stage.visitor();
    ada.expectRefusal('404 /ui/assets/{id}');
    // The browser asks for it twice: as the document names it, and as the script imports it.
    if (from === 'another build') await anotherBuildIsAsked(ada, 'chunk', 2);
    else
      await ada.page.route(/\/ui\/assets\/chunk-\w{8}\.js/, (route) => route.fulfill({ status: 404 }), {
        times: 2,
      });

    await ada.open('/login');

    await ada.sees('No account yet?');
  });

  it('is not blank, and offers to load it again, while no script comes', async () => {
    const ada = await stage.visitor();
    ada.expectRefusal('404 /ui/assets/{id}');
    const scripts = /\/ui\/assets\/\S+\.js$/;
    await ada.page.route(scripts, (route) => route.fulfill({ status: 404 }));
    await ada.open('/login');
    await ada.sees('Load it again');

    await ada.page.unroute(scripts);
    await ada.follow('Load it again');

    await ada.sees('No account yet?');
  });

  it('says that it could not be loaded, where that does not end', async () => {
    const ada = await stage.visitor();
    // As after a minute of such loads.
    await ada.page.addInitScript("sessionStorage.setItem('loads of another build', '60')");
    await anotherBuildIsAsked(ada, 'login', 1);

    await ada.open('/login');

    await ada.sees('This page could not be loaded. Please try again in a few minutes.');
  });
});

/** Lets the next requests for a file reach a replica to which its name says nothing. */
async function anotherBuildIsAsked(visitor: Visitor, file: string, times: number): Promise<void> {
  const address = new RegExp(`/ui/assets/${file}-\\w{8}\\.`);
  await visitor.page.route(
    address,
    (route) => {
      const url = route.request().url().replace(address, `/ui/assets/${file}-0A1B2C3D.`);
      return route.continue({ url });
    },
    { times },
  );
}
