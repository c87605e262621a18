import { Injectable } from '@nestjs/common';
import { isAiOn } from '../ai/language-model.js';
import { Environment } from '../config/environment.js';
import { allowedOrigins } from '../config/origins.js';
import { leadsToPages } from '../config/pages.js';
import { mayUseRpId, relyingPartyId } from '../config/relying-party.js';
import { html } from '../http/html.js';
import { Language } from '../words/language.js';
import { Word } from '../words/words.js';
import { Assets } from './assets.js';
import type { Script } from './bundle.js';
import type { Facts } from './facts.js';

/** Where a page belongs: to the account, or to the console. */
type Area = 'ui' | 'admin';

/** The one document that each page is before its script runs: the same for every visitor, and a kilobyte long. */
@Injectable()
export class Shell {
  private readonly facts: string;

  constructor(
    private readonly environment: Environment,
    private readonly assets: Assets,
    private readonly language: Language,
  ) {
    this.facts = JSON.stringify(factsOf(environment));
  }

  /** The document of a path such as `/ui/login`. Its addresses are relative: a proxy may serve the API under a path. */
  async document(path: string, script: Script): Promise<string> {
    const area = script === 'admin' ? 'admin' : 'ui';
    const { assets, names, head, opening } = await this.parts(path, area);
    const imports = await this.assets.importsOf(script);
    // Named here, they load beside the script and not after it.
    const preloads = imports.map((name) => html`<link rel="modulepreload" href="${assets}${name}">\n`);
    const { language } = this;
    return html`${opening}
<head>
${head}
<link rel="preload" as="fetch" crossorigin href="${assets}${await this.assets.wordsOf(script)}">
${preloads}<script type="module" src="${assets}${names[script]}"></script>
<script type="module" src="${assets}${names.recover}"></script>
</head>
<body>
<div id="page"><p class="late">${language.say(Word['shell.late'])} <a href="">${language.say(Word['shell.loadAgain'])}</a></p></div>
<p id="failed" hidden>${language.say(Word['shell.failed'])}</p>
<noscript>${language.say(Word['shell.noscript'])}</noscript>
</body>
</html>
`.markup;
  }

  /** The document of a path at which there is no page, whole without a script. */
  async missing(path: string, area: Area): Promise<string> {
    const { productName, productLogoUrl } = this.environment;
    const { root, assets, names, head, opening } = await this.parts(path, 'ui');
    const home = homeUrlOf(this.environment) ?? `${root}ui/account`;
    const { language } = this;
    return html`${opening}
<head>
${head}
</head>
<body>
<div class="page narrow">
<header><a class="product" href="${home}">${
      productLogoUrl === undefined
        ? html`<img src="${assets}${names.mark}" alt="">${productName}`
        : html`<img src="${productLogoUrl}" alt="${productName}">`
    }</a></header>
<main class="card stack">
<h1>${language.say(Word['shell.missing.title'])}</h1>
<p>${language.say(Word['shell.missing.why'])}</p>
<a class="button" href="${root}${area === 'ui' ? 'ui/account' : 'admin'}">${language.say(
      area === 'ui' ? Word['shell.missing.account'] : Word['shell.missing.console'],
    )}</a>
</main>
</div>
</body>
</html>
`.markup;
  }

  /** What every document has, and how its addresses begin. */
  private async parts(path: string, area: Area) {
    const { productName, productLogoUrl } = this.environment;
    const names = await this.assets.names();
    const root = '../'.repeat(path.split('/').length - 2);
    const assets = `${root}ui/assets/`;
    const theme = names.theme && html`<link rel="stylesheet" href="${assets}${names.theme}">`;
    const head = html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="latchkey" content="${this.facts}">
<title>${productName}</title>
<link rel="icon" href="${productLogoUrl ?? `${assets}${names.mark}`}">
${productLogoUrl === undefined ? null : html`<link rel="apple-touch-icon" href="${productLogoUrl}">\n`}<link rel="stylesheet" href="${assets}${names[`${area}-style`]}">
${theme || null}`;
    const { tag, direction } = this.language;
    const opening = html`<!doctype html>
<html lang="${tag}" dir="${direction}">`;
    return { root, assets, names, head, opening };
  }
}

function factsOf(environment: Environment): Facts {
  const { productName, productLogoUrl, supportEmail, termsUrl, privacyUrl } = environment;
  const rpId = relyingPartyId(environment);
  return {
    product: productName,
    logoUrl: productLogoUrl ?? null,
    supportEmail: supportEmail ?? null,
    termsUrl: termsUrl ?? null,
    privacyUrl: privacyUrl ?? null,
    homeUrl: homeUrlOf(environment),
    origins: [...allowedOrigins(environment)],
    passwordMinLength: environment.passwordMinLength,
    hasPasskeys: rpId !== null && mayUseRpId(new URL(environment.baseApiUrl).hostname, rpId),
    isB2b: environment.appMode === 'b2b',
    hasBilling: environment.stripeSecretKey !== undefined,
    hasAi: isAiOn(environment),
    hasDevMailbox: environment.environment === 'dev' && environment.emailProvider === 'stub',
  };
}

/** The application's address, where the settings name one application that is not these pages. */
function homeUrlOf(environment: Environment): string | null {
  const { baseWebUrl, baseApiUrl, corsOrigins } = environment;
  const named = environment.environment === 'dev' ? corsOrigins : [...allowedOrigins(environment)];
  const [origin, ...others] = named.filter((each) => each !== new URL(baseApiUrl).origin);
  if (origin === undefined || others.length > 0) return null;
  const isApplication = !leadsToPages(environment) && new URL(baseWebUrl).origin === origin;
  return isApplication ? baseWebUrl : origin;
}
