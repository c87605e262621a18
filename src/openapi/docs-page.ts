import type { Environment } from '../config/environment.js';
import { arePagesOn } from '../config/pages.js';
import { CLIENT_PACKAGE } from './client-package.js';

const METHODS = ['get', 'post', 'patch', 'delete'];

/**
 * The page may load from this service and call it, and nothing else. Swagger UI writes styles into its elements, and
 * has its icons in its style sheet.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page around Swagger UI of a version. Its addresses are relative: a proxy may serve the API under a path. */
export function docsPage(version: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Latchkey</title>
    <link rel="icon" href="docs/favicon-32x32.png?v=${version}">
    <link rel="stylesheet" href="docs/swagger-ui.css?v=${version}">
  </head>
  <body>
    <div class="swagger-ui">
      <p class="wrapper">For front ends: <a href="docs/${CLIENT_PACKAGE}">${CLIENT_PACKAGE}</a>, to save in your repository, for npm to install the file.</p>
    </div>
    <div id="docs"></div>
    <script src="docs/swagger-ui-bundle.js?v=${version}"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;
}

/**
 * Starts Swagger UI from edge to edge, dark where the reader's system prefers that. It tries out every request where the
 * service lets pages of its own origin change something, and elsewhere those that read. Its dialogs to authorize are
 * left out: no script may set the cookie that they ask for, and a login at `/ui` sets it.
 */
export function startScript(environment: Environment): string {
  const methods = arePagesOn(environment) ? METHODS : ['get'];
  return `const prefersDark = matchMedia('(prefers-color-scheme: dark)').matches;
document.documentElement.classList.toggle('dark-mode', prefersDark);
document.body.style.margin = '0';
const nothing = () => () => null;
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  supportedSubmitMethods: ${JSON.stringify(methods)},
  validatorUrl: null,
  plugins: [() => ({ wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing } })],
});
`;
}
