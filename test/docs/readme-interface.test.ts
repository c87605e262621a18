import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AUDIT_TYPES } from '../../src/audit/audit-types.js';
import * as errors from '../../src/http/errors.js';
import { Problem } from '../../src/http/problem.js';
import { TOKEN } from '../metrics/scrape.js';
import { operations } from '../support/document.js';
import { codeIn, codeSpans, tableUnder, text, textUnder } from '../support/readme.js';
import { TestApp } from '../support/test-app.js';

/** What the service serves and the OpenAPI document leaves out. */
const UNDOCUMENTED = ['GET /docs', 'GET /openapi.json', 'GET /dev/mail'];

describe('the endpoints in the README', () => {
  it('are those of the OpenAPI document, and all of them', () => {
    const told = tableUnder('Endpoints').flatMap(([endpoint = '']) => namesIn(endpoint));
    const documented = operations.map(({ name }) => name.replace(/{(\w+)}/g, ':$1'));

    expect(told.sort()).toEqual([...documented, ...UNDOCUMENTED].sort());
  });

  it('are called by their names elsewhere', () => {
    const named = codeSpans.filter((code) => /^(GET|POST|PATCH|DELETE) \/\S+$/.test(code));
    const served = tableUnder('Endpoints').flatMap(([endpoint = '']) => namesIn(endpoint));

    expect(named.filter((name) => !served.includes(name))).toEqual([]);
  });
});

describe('the errors in the README', () => {
  const statuses = Object.fromEntries(
    Object.entries(errors)
      .filter(([, { prototype }]) => prototype instanceof Problem)
      .map(([code, Class]) => [code, statusOf(Class as new () => Problem)]),
  );

  it('are all there are, each beside its status', () => {
    const rows = tableUnder('Errors').map(
      ([told = '', codes = '']) => [told.split(', ').map(Number), codeIn(codes).filter(isCode)] as const,
    );

    expect(rows.flatMap(([, codes]) => codes).sort()).toEqual(Object.keys(statuses).sort());
    for (const [row, codes] of rows)
      expect(new Set(codes.map((code) => statuses[code]))).toEqual(new Set(row));
  });

  it('have their status wherever one is told', () => {
    const mentions = [...text.matchAll(/\b([45]\d\d) ((?:`[A-Z]\w+`(?:, )?)+)/g)];
    const told = mentions.flatMap(([, status, codes = '']) =>
      codeIn(codes).map((code) => [code, Number(status)]),
    );

    expect(told).not.toEqual([]);
    for (const [code = '', status] of told) expect([code, statuses[code]]).toEqual([code, status]);
  });
});

describe('the findings in the README', () => {
  it('are those of the preflight and the doctor, and all of them', () => {
    const told = ['What the start refuses', 'Doctor'].flatMap((heading) =>
      tableUnder(heading).flatMap(([codes = '']) => codeIn(codes)),
    );
    const sources = ['src/config/preflight', 'src/cli/doctor'].flatMap((folder) =>
      readdirSync(folder).map((file) => readFileSync(`${folder}/${file}`, 'utf8')),
    );
    const found = sources.flatMap((source) => [
      ...source.matchAll(/'((?!SVC_)[A-Z]+(?:_[A-Z]+)+|UNREACHABLE)'/g),
    ]);

    expect(told.sort()).toEqual([...new Set(found.map(([, code = '']) => code))].sort());
  });
});

describe('the audit events in the README', () => {
  it('are the types there are', () => {
    const told = codeIn(textUnder('Audit events')).filter((code) => /^[a-z]+(\.[a-z_*]+)?$/.test(code));
    const patterns = told.map(patternOf);

    expect(AUDIT_TYPES.filter((type) => !patterns.some((pattern) => pattern.test(type)))).toEqual([]);
    for (const type of told.filter((name) => name.includes('.')))
      expect(AUDIT_TYPES).toContainEqual(expect.stringMatching(patternOf(type)));
  });
});

describe('the metrics in the README', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ SVC_METRICS_TOKEN: TOKEN });
  });
  afterAll(() => app.close());

  it('are those of the service, and all of them', async () => {
    const { text: figures } = await app.browser({ authorization: `Bearer ${TOKEN}` }).get('/metrics');
    const served = [...figures.matchAll(/^# TYPE (latchkey_\w+)/gm)].map(([, name = '']) => name);
    const told = tableUnder('Metrics').flatMap(([names = '']) => codeIn(names));

    expect(told.sort()).toEqual(served.sort());
  });
});

/** What `login.*` and the like stand for. */
function patternOf(type: string): RegExp {
  return new RegExp(`^${type.replace('.', '\\.').replace('*', '.+')}$`);
}

/** `GET or POST /cron` and `GET /docs, /openapi.json` are two endpoints each. */
function namesIn(cell: string): string[] {
  const methods = cell.match(/\b[A-Z]+\b(?= )/g) ?? [];
  const paths = cell.match(/\/[\w./:-]+/g) ?? [];
  return methods.flatMap((method) => paths.map((path) => `${method} ${path}`));
}

function statusOf(Class: new () => Problem): number {
  return 'example' in Class ? (Class.example as Problem).getStatus() : new Class().getStatus();
}

function isCode(word: string): boolean {
  return /^[A-Z]\w+$/.test(word);
}
