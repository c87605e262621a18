import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Module } from '@nestjs/common';
import { ConfigModule, ConfigService, type ConfigType, registerAs } from '@nestjs/config';
import { Environment } from '../../src/config/environment.js';
import { readEnvironment } from '../../src/config/read-environment.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { TestApp } from '../support/test-app.js';

const notes = registerAs('notes', () => ({ perPage: Number(process.env.NOTES_PER_PAGE) }));

@Injectable()
class Notes {
  constructor(@Inject(notes.KEY) readonly settings: ConfigType<typeof notes>) {}
}

@Module({ imports: [ConfigModule.forFeature(notes)], providers: [Notes] })
class NotesModule {}

const DEV = { SVC_ENVIRONMENT: 'dev' };

describe('the settings of a process', () => {
  const folder = process.cwd();
  beforeAll(async () => process.chdir(await temporaryFolder()));
  beforeEach(async () => {
    await writeFile(
      '.env',
      'SVC_PRODUCT_NAME="Ada & Co"\nSVC_PORT=4000 # of the machine\nNOTES_PER_PAGE=50\n',
    );
  });
  afterEach(() => {
    for (const name of ['SVC_PRODUCT_NAME', 'SVC_PRODUCT_COLOR', 'SVC_PORT', 'NOTES_PER_PAGE'])
      delete process.env[name];
  });
  afterAll(() => process.chdir(folder));

  it('come from a .env file, which the variables of the process override', async () => {
    process.env.SVC_PORT = '5000';

    expect(await readEnvironment(DEV)).toMatchObject({ productName: 'Ada & Co', port: 5000 });
  });

  it('may be changed where .env.example has their defaults', async () => {
    const example = await readFile(join(folder, '.env.example'), 'utf8');
    const [color = ''] = /^#SVC_PRODUCT_COLOR=.+$/m.exec(example) ?? [];
    await writeFile('.env', color.slice(1).replace('3f46d6', 'c02020'));

    expect(await readEnvironment(DEV)).toMatchObject({ productColor: '#c02020' });
  });

  it('are never written into its variables, as those of a product in the same file are', async () => {
    const { productName } = await readEnvironment({ ...DEV, SVC_PRODUCT_NAME: 'Grace' });

    expect(productName).toBe('Grace');
    expect(process.env).toMatchObject({ NOTES_PER_PAGE: '50' });
    expect(Object.keys(process.env)).not.toContain('productName');
    expect(Object.values(process.env)).not.toContain('Grace');
  });

  it('are refused with every error at once', async () => {
    const reading = readEnvironment({ ...DEV, SVC_WORKERS: 'all', SVC_APP_MODE: 'b2g' });

    await expect(reading).rejects.toThrow(/SVC_APP_MODE must be .+\n.+SVC_WORKERS must be/);
  });
});

describe('a product', () => {
  let app: TestApp;
  beforeAll(async () => {
    process.env.NOTES_PER_PAGE = '50';
    app = await TestApp.start({}, { product: { modules: [NotesModule] } });
  });
  afterAll(() => app.close());

  it('reads settings of its own as the service reads its own', () => {
    expect(app.nest.get(Notes, { strict: false }).settings).toEqual({ perPage: 50 });
    expect(app.nest.get(ConfigService).get('NOTES_PER_PAGE')).toBe('50');
  });

  it('does not start with a value that its own settings refuse', async () => {
    const refused = registerAs('refused', () => {
      throw new Error('NOTES_PER_PAGE must be a number');
    });
    @Module({ imports: [ConfigModule.forFeature(refused)] })
    class RefusedModule {}

    const start = TestApp.start({}, { database: app.database, product: { modules: [RefusedModule] } });
    await expect(start).rejects.toThrow('NOTES_PER_PAGE must be a number');
  });

  it('gets those of the service as the Environment', () => {
    expect(app.nest.get(Environment)).toBe(app.environment);
  });
});
