import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Body,
  type CanActivate,
  ConflictException,
  Controller,
  Get,
  HttpException,
  Module,
  Param,
  Post,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { IsEnum, IsString, Length, Matches, ValidateBy } from 'class-validator';
import type { QueryRunner } from 'typeorm';
import { planMigrations } from '../../src/cli/migrate.js';
import { Migrations } from '../../src/database/migrations.js';
import { migrateAt } from '../../src/start/migrate.js';
import { loggedIn } from '../support/accounts.js';
import { foundOrg, type TestOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';
import { TestDatabase } from '../support/test-database.js';
import { product } from './notes/product.js';

const MIGRATION = 'CreateNotes1800000000000';

enum Shade {
  LIGHT = 'light',
  DARK = 'dark',
}

/** The rules of class-validator, as a product may use them beside those of the service. */
class Styled {
  @IsString()
  @Length(1, 20)
  title: string;

  @Matches(/^#[\da-f]{6}$/)
  color: string;

  @IsEnum(Shade)
  shade: Shade;

  @ValidateBy({ name: 'isOdd', constraints: [{ secret: true }], validator: { validate: () => true } })
  odd: number;
}

class NobodyGuard implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}

@Controller('styles')
class StylesController {
  @Post()
  add(@Body() { title }: Styled) {
    return { title };
  }

  @Post('unchecked')
  addUnchecked(@Body() style: Record<string, unknown>) {
    return style;
  }

  @Get('guarded')
  @UseGuards(NobodyGuard)
  getGuarded() {}

  @Get('unauthorized')
  getUnauthorized() {
    throw new UnauthorizedException('The key has expired.');
  }

  @Get('refused/:status')
  getRefused(@Param('status') status: string) {
    throw new HttpException('The style is taken.', Number(status));
  }

  @Get('taken')
  getTaken() {
    throw new ConflictException(new Error('duplicate key value violates unique constraint "styles"'));
  }
}

@Module({ controllers: [StylesController] })
class StylesModule {}

/** Brings the tables of a product into a database, as the role that owns the others. */
const migrateProduct = (database: TestDatabase) =>
  migrateAt(
    { variable: 'SVC_DATABASE_OWNER_URL', url: database.ownerUrl },
    new Migrations(product.migrations),
  );

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  const database = await TestDatabase.create();
  await migrateProduct(database);
  const modules = [...(product.modules ?? []), StylesModule];
  app = await TestApp.start({}, { database, product: { ...product, modules } });
  org = await foundOrg(app);
});
afterAll(() => app.close());

const notes = () => `/orgs/${org.id}/notes`;

describe('a route of a product', () => {
  it('keeps a note, which every member of the organization lists', async () => {
    const { status, body } = await org.member.post(notes(), { text: 'Call Ada back' });

    expect({ status, body }).toEqual({
      status: 201,
      body: { note: { id: expect.any(String), author_id: org.member.id, text: 'Call Ada back' } },
    });
    expect((await org.readonly.get(notes())).body).toEqual({ data: [body.note], next_cursor: null });
    expect(
      await app.database.rows('SELECT org_id, text FROM notes.notes WHERE id = $1', [body.note.id]),
    ).toEqual([{ org_id: org.id, text: 'Call Ada back' }]);
  });

  it('takes no body that it does not declare as a class', async () => {
    const { status, body } = await org.member.post('/styles/unchecked', { role: 'system_admin' });

    expect({ status, code: body.code }).toEqual({ status: 500, code: 'InternalError' });
  });

  it.each([
    ['guarded', 403, 'InsufficientRole'],
    ['unauthorized', 401, 'Unauthenticated'],
  ])('answers a refusal of Nest as a problem of the service: /styles/%s', async (path, status, code) => {
    const answer = await org.member.get(`/styles/${path}`);

    expect(answer).toMatchObject({ status, body: { status, code } });
  });

  it.each([
    [409, 'Conflict', 'The style is taken.'],
    [410, 'Gone', 'The style is taken.'],
    [418, 'ImATeapot', 'The style is taken.'],
    [422, 'UnprocessableEntity', 'The style is taken.'],
    [429, 'TooManyRequests', 'The style is taken.'],
    [502, 'BadGateway', 'Bad Gateway.'],
  ])('answers any other exception of Nest as a problem of its status: %i', async (status, code, detail) => {
    const answer = await org.member.get(`/styles/refused/${status}`);

    expect(answer).toMatchObject({
      status,
      headers: { 'content-type': expect.stringContaining('application/problem+json') },
      body: { status, code, detail },
    });
  });

  it('says nothing of an error that an exception of Nest was made of', async () => {
    const { status, body } = await org.member.get('/styles/taken');

    expect({ status, detail: body.detail }).toEqual({ status: 409, detail: 'Conflict.' });
  });

  it.each([200, 302, 500, 799])('answers an exception of no refusal as its own error: %i', async (status) => {
    const answer = await org.member.get(`/styles/refused/${status}`);

    expect(answer).toMatchObject({ status: 500, body: { code: 'InternalError' } });
    expect(JSON.stringify(answer.body)).not.toContain('taken');
  });

  it('refuses a request without a session', async () => {
    expect(await app.browser().get(notes())).toMatchObject({
      status: 401,
      headers: { 'content-type': expect.stringContaining('application/problem+json') },
      body: { code: 'Unauthenticated' },
    });
  });

  it('is not found for the member of another organization', async () => {
    const stranger = await loggedIn(app);
    const other = await foundOrg(app);

    for (const browser of [stranger, other.admin])
      expect(await browser.post(notes(), { text: 'x' })).toMatchObject({
        status: 404,
        body: { code: 'NotFound' },
      });
  });

  it('refuses a role below the one it asks for', async () => {
    expect(await org.readonly.post(notes(), { text: 'x' })).toMatchObject({
      status: 403,
      body: { code: 'InsufficientRole' },
    });
  });

  it.each([
    ['without its field', {}, 'not_a_text'],
    ['with an empty text', { text: '' }, 'not_a_text'],
    ['with a text that is too long', { text: 'x'.repeat(2001) }, 'not_a_text'],
    ['with a text that PostgreSQL cannot hold', { text: 'a\0b' }, 'not_a_text'],
    ['with a field that it does not name', { text: 'x', author_id: randomUUID() }, 'unknown_field'],
  ])('refuses a body %s', async (_, body, code) => {
    expect(await org.member.post(notes(), body)).toMatchObject({
      status: 400,
      body: { code: 'ValidationFailed', errors: [{ reasons: [expect.objectContaining({ code })] }] },
    });
  });

  it('says of a rule that is not of the service only that the value is not valid', async () => {
    const { status, body } = await org.member.post('/styles', { title: 'x', color: 'red', shade: 'dark' });

    expect({ status, errors: body.errors }).toEqual({
      status: 400,
      errors: [
        {
          field: 'color',
          messages: [expect.stringContaining('must match')],
          reasons: [{ code: 'not_valid' }],
        },
      ],
    });
  });

  it('refuses an id that is no UUID, and a page of another origin', async () => {
    expect((await org.member.get('/orgs/none/notes')).status).toBe(404);
    expect(await org.member.post(notes(), { text: 'x' }, { origin: 'https://evil.example' })).toMatchObject({
      status: 403,
      body: { code: 'OriginNotAllowed' },
    });
  });

  it('keeps its rows without their author, and loses them with the organization, as their keys say', async () => {
    const text = randomUUID();
    const { id, admin } = await foundOrg(app);
    await admin.post(`/orgs/${id}/notes`, { text });
    const author = () => app.database.rows('SELECT author_id FROM notes.notes WHERE text = $1', [text]);
    expect(await author()).toEqual([{ author_id: admin.id }]);

    await app.database.rows('DELETE FROM memberships WHERE org_id = $1', [id]);
    await app.database.rows('DELETE FROM users WHERE id = $1', [admin.id]);
    expect(await author()).toEqual([{ author_id: null }]);
    await app.database.rows('DELETE FROM organizations WHERE id = $1', [id]);
    expect(await author()).toEqual([]);
  });
});

describe('the OpenAPI document', () => {
  it('describes the routes of a product as those of the service', async () => {
    const { paths, components } = (await app.browser().get('/openapi.json')).body;

    expect(paths['/orgs/{org_id}/notes'].post).toMatchObject({
      operationId: 'addNote',
      description: 'For the role `member` and those above it.',
      security: [{ session: [] }],
      requestBody: {
        content: {
          'application/json': {
            schema: { required: ['text'], properties: { text: { type: 'string', maxLength: 2000 } } },
          },
        },
      },
    });
    expect(Object.keys(paths['/orgs/{org_id}/notes'].post.responses)).toEqual(
      expect.arrayContaining(['201', '400', '401', '403', '404']),
    );
    expect(components.schemas.Note.required).toEqual(['id', 'author_id', 'text']);
  });

  it('puts the rules of class-validator that a product uses into words, and of others says nothing', async () => {
    const { paths } = (await app.browser().get('/openapi.json')).body;

    expect(paths['/styles'].post.requestBody.content['application/json'].schema.properties).toEqual({
      title: { type: 'string', minLength: 1, maxLength: 20 },
      color: { type: 'string', pattern: '^#[\\da-f]{6}$' },
      shade: { enum: ['light', 'dark'] },
      odd: {},
    });
  });
});

describe('the migrations of a product', () => {
  const applied = (database: TestDatabase) =>
    database.rows('SELECT name FROM migrations ORDER BY id DESC LIMIT 2');

  it('are of the same history, and run in the order of their numbers', () => {
    class AddColors1000000000000 {
      async up() {}
      async down() {}
    }
    const { names } = new Migrations([...(product.migrations ?? []), AddColors1000000000000]);

    expect(names).toEqual(['AddColors1000000000000', ...new Migrations().names, MIGRATION]);
  });

  it('leave the service ready only once they have run', async () => {
    const database = await TestDatabase.create();
    const behind = await TestApp.start({}, { database, product });
    const ready = () => behind.browser().get('/health/ready');

    expect(await ready()).toMatchObject({ status: 503, body: { down: ['migrations'] } });
    expect(await migrateProduct(database)).toEqual([MIGRATION]);
    expect(await ready()).toMatchObject({ status: 200 });
    await behind.close();
  });

  it('keep no migration of the service from running, though theirs have a higher number', async () => {
    const last = new Migrations().names.at(-1) as string;
    const Last = (await new Migrations().load()).at(-1) as new () => { down(runner: object): Promise<void> };
    const database = await TestDatabase.create();
    await migrateProduct(database);
    await database.rows('DELETE FROM migrations WHERE name = $1', [last]);
    await new Last().down({ query: (sql: string) => database.rows(sql) });

    expect(await migrateProduct(database)).toEqual([last]);
    expect(await applied(database)).toEqual([{ name: last }, { name: MIGRATION }]);
    await database.close();
  });

  it('are not printed where they do more than send statements', async () => {
    class BuildTable1800000000001 {
      async up(runner: QueryRunner) {
        await runner.createSchema('built');
      }
      async down() {}
    }
    const migrations = new Migrations([BuildTable1800000000001]);

    await expect(planMigrations(migrations.names, migrations)).rejects.toThrow(
      'BuildTable1800000000001 cannot be printed: it uses createSchema, and not only query.',
    );
  });

  it('may not have a name that another has, or that has no number', () => {
    const named = (name: string) => ({ [name]: class {} })[name] as never;

    expect(() => new Migrations([named('CreateUsers1795204800002')])).toThrow(
      'Two migrations are called CreateUsers1795204800002.',
    );
    expect(() => new Migrations([named('CreateNotes')])).toThrow(
      /^The name of the migration CreateNotes must end with 13 digits, such as CreateNotes\d{13}\.$/,
    );
  });
});
