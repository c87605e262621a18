import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AdminService } from '../auth/account/admin.service.js';
import type { Environment } from '../config/environment.js';
import { arePagesOn, pagesUrl } from '../config/pages.js';
import { createLog } from '../observability/log.js';
import { readDevEnvironment } from './dev-environment.js';
import type { Product } from './product.js';
import { refuseToStart } from './refuse-to-start.js';
import { serveInProcess } from './serve-in-process.js';

const FIRST_ADMIN = 'admin@example.com';

/**
 * Serves on a developer's machine, with nothing configured: `SVC_ENVIRONMENT` is `dev`, and where no database is set an
 * embedded PostgreSQL starts. It prints where everything is, and how the first admin begins.
 */
export async function serveDev(product: Product = {}): Promise<void> {
  try {
    const environment = await readDevEnvironment();
    const log = await createLog(environment);
    await serveInProcess(environment, product, log, async (app) =>
      console.log(await welcome(app, environment)),
    );
  } catch (error) {
    refuseToStart(error);
  }
}

/** Where everything is, and how the first admin begins. */
async function welcome(app: NestFastifyApplication, environment: Environment): Promise<string> {
  const { baseApiUrl: api, emailProvider, dataDir, databaseUrl } = environment;
  const link = await app.get(AdminService).firstAdminLink(FIRST_ADMIN);
  const pages = [`  Pages    ${pagesUrl(environment)}`, `  Console  ${api}/admin`];
  const mails =
    emailProvider === 'stub' ? `${api}/dev/mail, and printed here` : `sent through ${emailProvider}`;
  const admin = [
    '',
    `  ${FIRST_ADMIN} is the first admin, who sets a password within one hour at:`,
    '',
    `    ${link}`,
  ];
  const kept = databaseUrl === undefined ? ` and its PostgreSQL; the data stays in ${dataDir}` : '';

  return [
    '',
    ...(arePagesOn(environment) ? pages : []),
    `  Mails    ${mails}`,
    ...(link === null ? [] : admin),
    '',
    `  API      ${api}`,
    `  Docs     ${api}/docs`,
    '',
    `  Ctrl-C stops the service${kept}`,
    '',
  ].join('\n');
}
