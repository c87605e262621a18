import { readEnvironment } from './config/read-environment.js';
import { createLog } from './observability/log.js';
import { refuseToStart } from './refuse-to-start.js';
import { serve } from './serve.js';

// npm run dev: the service on this machine, with nothing configured.
try {
  const environment = readEnvironment({ SVC_ENVIRONMENT: 'dev' });
  const app = await serve(environment, await createLog(environment));
  const api = (await app.getUrl()).replace('127.0.0.1', 'localhost');
  const mails =
    environment.emailProvider === 'stub'
      ? `${api}/dev/mail, and printed here`
      : `sent through ${environment.emailProvider}`;

  console.log(`
  Latchkey is up.

  API    ${api}
  Docs   ${api}/docs
  Mails  ${mails}
  SPA    npm run spa serves an example at http://localhost:5173

  Sign up with:

    curl -i ${api}/auth/signup -H 'content-type: application/json' \\
      -d '{"email":"ada@example.com","password":"a long pass phrase"}'

  Ctrl-C stops the service and its PostgreSQL; the data stays in ${environment.dataDir}
`);
} catch (error) {
  refuseToStart(error);
}
