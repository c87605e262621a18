import { readdirSync, readFileSync } from 'node:fs';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import ts from 'typescript';
import { AUDIT_TYPES } from '../src/audit/audit-types.js';
import { ADMIN_ROUTES, ROUTES } from '../src/client/contract.js';
import { Environment } from '../src/config/environment.js';
import { parseEnvironment } from '../src/config/read-environment.js';
import { variableName } from '../src/config/variable-name.js';
import * as errors from '../src/http/errors.js';
import { Problem } from '../src/http/problem.js';
import { Role } from '../src/http/role.js';
import type { DocumentedProblem } from '../src/http/route.js';
import { openApiDocument, operationOf } from '../src/openapi/document.js';
import { sampleOf } from '../src/openapi/problem-schema.js';
import { type Route, routesIn } from '../src/openapi/routes.js';
import { sectionOf, sectionsOf } from '../src/openapi/sections.js';
import { AppModule } from '../src/start/app.module.js';
import { settingView } from '../src/system/setting.view.js';
import type { JsonSchema } from '../src/validation/schema.js';
import { languageTags, readLanguageFile, SOURCE, type TranslationFile } from '../src/words/language-file.js';

/** A setting, as its field describes it; `meaning` has the lines of its comment. */
interface Setting {
  name: string;
  type: string;
  fallback: string;
  meaning: string[];
}

const ENVIRONMENT = 'src/config/environment.ts';

const defaults = new Environment();
const dev = parseEnvironment({ SVC_ENVIRONMENT: 'dev' });
const b2b = parseEnvironment({ SVC_ENVIRONMENT: 'dev', SVC_APP_MODE: 'b2b' });

const preview = await NestFactory.createApplicationContext(AppModule.with(dev), {
  preview: true,
  logger: false,
});
const routes = routesIn(preview.get(ModulesContainer));
const { components } = openApiDocument(routes, dev);

/** Every error that a client can get. */
export const problems = Object.values(errors)
  .filter((value) => value.prototype instanceof Problem)
  .map((value) => sampleOf(value as DocumentedProblem))
  .sort((one, other) => one.getStatus() - other.getStatus());

/** Every route of the OpenAPI document, such as `GET /orgs/:org_id`. */
export const routeNames = routes.map(({ method, path }) => `${method.toUpperCase()} ${path}`);

export const settings = readSettings();

/** The settings as `.env.example` has them. */
export const example = settings.map(exampleOf).join('\n\n');

/** What the marked sections of the documents hold, by their names. */
export const REFERENCE: Record<string, string> = {
  settings: settingsTable(settings.filter(({ type }) => type !== 'limits')),
  limits: settingsTable(settings.filter(({ type }) => type === 'limits')),
  routes: sectionsOf(routes.map(({ path }) => path))
    .map(({ name }) => `### ${name}\n\n${routesTable(routes.filter(({ path }) => sectionOf(path) === name))}`)
    .join('\n\n'),
  operations: table(
    ['Name', 'Route', 'Client'],
    Object.entries({ ...ROUTES, ...ADMIN_ROUTES })
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([name, route]) => [
        `\`${name}\``,
        `\`${route.replace(/\{(\w+)\}/g, ':$1')}\``,
        name in ADMIN_ROUTES ? '`withAdmin`' : '',
      ]),
  ),
  objects: objectsTable(),
  errors: table(
    ['Status', 'Code', 'Detail'],
    problems.map((problem) => [String(problem.getStatus()), `\`${problem.code}\``, problem.message]),
  ),
  audit: auditTable(),
  metrics: metricsTable(),
  languages: table(['Language', 'Tag', 'State'], await Promise.all((await languageTags()).map(languageRow))),
};

async function languageRow(tag: string): Promise<string[]> {
  const { name, state, reviewedBy } = await readLanguageFile<TranslationFile>(tag);
  const signed = reviewedBy ? `, by ${reviewedBy.name} on ${reviewedBy.date}` : '';
  return [name, `\`${tag}\``, tag === SOURCE ? 'the source' : `\`${state}\`${signed}`];
}

/** The settings in the order of their class, whose comments say what they mean. */
function readSettings(): Setting[] {
  const text = readFileSync(ENVIRONMENT, 'utf8');
  const source = ts.createSourceFile(ENVIRONMENT, text, ts.ScriptTarget.Latest, true);
  const aliases = new Map(
    source.statements.filter(ts.isTypeAliasDeclaration).map(({ name, type }) => [name.text, type.getText()]),
  );
  const fields = source.statements
    .filter(ts.isClassDeclaration)
    .flatMap(({ members }) => members.filter(ts.isPropertyDeclaration));

  return fields.map((field) => {
    const setting = field.name.getText() as keyof Environment;
    const [comment] = ts.getJSDocCommentsAndTags(field).map((each) => ts.getTextOfJSDocComment(each.comment));
    return {
      name: variableName(setting),
      type: typeOf(field.type?.getText() ?? '', aliases),
      fallback: settingView(setting, defaults).value ?? '',
      meaning: (comment ?? '').split('\n'),
    };
  });
}

/**
 * A setting in `.env.example`: what must be set with the value that it has in `dev`, and all else commented out, with its
 * default where that is the same in each environment.
 */
function exampleOf({ name, fallback, meaning }: Setting): string {
  const comment = meaning.map((line) => `# ${line}`).join('\n');
  const [, inDev = ''] = / in dev (\S+)\.$/.exec(meaning.join(' ')) ?? [];
  if (isRequired(meaning)) return `${comment}\n${name}=${inDev}`;
  if (fallback === '' || comment.includes(' Default ')) return `${comment}\n#${name}=`;
  // In a .env file an open # begins a comment.
  const written = fallback.includes('#') ? `"${fallback}"` : fallback;
  return `${comment} Default ${fallback}.\n#${name}=${written}`;
}

function isRequired(meaning: string[]): boolean {
  return /\bRequired(?! with)/.test(meaning.join(' '));
}

function typeOf(written: string, aliases: Map<string, string>): string {
  const kinds: Record<string, string> = {
    string: 'text',
    number: 'number',
    boolean: '`true`, `false`',
    'string[]': 'list',
    'Limit[]': 'limits',
    'OtherProvider[]': 'JSON list',
    'EventEndpoint[]': 'JSON list',
    'FooterLink[]': 'JSON list',
    Secrets: 'secrets',
  };
  return (
    kinds[written] ?? (aliases.get(written) ?? written).replace(/'(\w+)'/g, '`$1`').replaceAll(' | ', ', ')
  );
}

function settingsTable(listed: Setting[]): string {
  const rows = listed.map(({ name, type, fallback, meaning }) => [
    `\`${name}\``,
    type,
    fallback !== '' ? `\`${fallback}\`` : isRequired(meaning) ? 'required' : '',
    meaning.join(' '),
  ]);
  return table(['Variable', 'Type', 'Default', 'Meaning'], rows);
}

function routesTable(listed: Route[]): string {
  const rows = listed.map((route) => [
    `\`${route.method.toUpperCase()} ${route.path}\``,
    [accessOf(route), route.needsStepUp && 'recent', closedWhen(route), limitOf(route)]
      .filter(Boolean)
      .join('; '),
    route.summary ?? '',
    `${inputOf(route)}→ ${answersOf(route)}`,
    route.problems.map((problem) => `\`${sampleOf(problem).code}\``).join(', '),
  ]);
  return table(['Route', 'Access', 'What it does', 'Takes → answers', 'Own errors'], rows);
}

function accessOf({
  isPublic,
  isByPendingLogin,
  isOpenToPendingLogin,
  bearerSecret,
  minRole,
}: Route): string {
  if (isByPendingLogin) return 'pending login';
  if (isOpenToPendingLogin) return 'session or pending login';
  if (bearerSecret !== undefined) return `bearer \`${bearerSecret}\``;
  if (isPublic) return 'public';
  return Object.keys(Role).find((name) => Role[name as keyof typeof Role] === minRole) ?? 'session';
}

function closedWhen({ isOpen }: Route): string | undefined {
  if (!isOpen(b2b)) return isOpen(dev) ? '404 in B2B' : '404 unless set up';
  return isOpen(dev) ? undefined : '404 in B2C';
}

function limitOf({ limit }: Route): string | undefined {
  return limit && `\`${variableName(limit).replace('SVC_', 'LIMIT_')}\``;
}

function inputOf(route: Route): string {
  const { parameters, requestBody } = operationOf(route);
  const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const schema = requestBody?.content['application/json'].schema as JsonSchema | undefined;
  const required = (schema?.required ?? []) as string[];
  const body = Object.keys((schema?.properties ?? {}) as object).map((name) =>
    required.includes(name) ? name : `${name}?`,
  );
  const parts = [query.length > 0 ? `?${query.join('=&')}=` : '', body.join(', ')].filter(Boolean);
  return parts.map((part) => `\`${part}\` `).join('and ');
}

function answersOf({ successes }: Route): string {
  const answers = Object.entries(successes).map(([status, contents]) => {
    const bodies = Object.entries(contents).map(([mediaType, { schema }]) =>
      mediaType === 'application/json' ? `\`{ ${fieldsOf(schema).join(', ')} }\`` : `\`${mediaType}\``,
    );
    return [status, bodies.join(' or ')].filter(Boolean).join(' ');
  });
  return answers.join(', ');
}

function fieldsOf({ properties = {} }: JsonSchema): string[] {
  return Object.keys(properties as object);
}

/** The objects that answers hold; problems have a table of their own. */
function objectsTable(): string {
  const codes = problems.map(({ code }) => code);
  const named = Object.entries(components.schemas as Record<string, JsonSchema>).filter(
    ([name]) => !codes.includes(name),
  );
  const rows = named.map(([name, schema]) => [
    name,
    Object.entries(schema.properties as Record<string, JsonSchema>)
      .map(([field, type]) => `\`${field}\`${kindOf(type)}`)
      .join(', '),
  ]);
  return table(['Object', 'Fields'], rows);
}

function kindOf({ enum: values, type }: JsonSchema): string {
  if (Array.isArray(values) && values.length <= Object.keys(Role).length)
    return ` (${values.map((value) => `\`${value}\``).join(', ')})`;
  return Array.isArray(type) && type.includes('null') ? ' or null' : '';
}

function auditTable(): string {
  const subjects = [...new Set(AUDIT_TYPES.map((type) => type.split('.')[0] ?? type))];
  const rows = subjects.map((subject) => [
    subject,
    AUDIT_TYPES.filter((type) => type.split('.')[0] === subject)
      .map((type) => `\`${type}\``)
      .join(', '),
  ]);
  return table(['About', 'Types'], rows);
}

/** Metrics are registered when a service starts, with literals: they are read from the source. */
function metricsTable(): string {
  const declaration =
    /metrics\.(counter|gauge|replicaGauge|sharedGauge|histogram)\(\s*'(\w+)',\s*'([^']+)',?\s*(?:\[([\s\S]*?)\])?/g;
  const found = readdirSync('src', { encoding: 'utf8', recursive: true })
    .filter((file) => file.endsWith('-metrics.ts'))
    .flatMap((file) => [...readFileSync(`src/${file}`, 'utf8').matchAll(declaration)])
    .map(([, kind = '', name = '', help = '', labels = '']) => [
      `\`latchkey_${name}\``,
      { sharedGauge: 'gauge, one for all replicas', replicaGauge: 'gauge' }[kind] ?? kind,
      [...labels.matchAll(/'(\w+)'/g)].map(([, label]) => `\`${label}\``).join(', '),
      help,
    ]);
  return table(
    ['Metric', 'Kind', 'Labels', 'Meaning'],
    found.sort(([one = ''], [other = '']) => one.localeCompare(other)),
  );
}

function table(heads: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}
