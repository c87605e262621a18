import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isAiOn } from '../ai/language-model.js';
import { Environment } from '../config/environment.js';
import { allowedOrigins } from '../config/origins.js';
import { leadsToPages } from '../config/pages.js';
import { mayUseRpId, relyingPartyId } from '../config/relying-party.js';
import { inLanguage } from '../config/variables.js';
import { type Html, html } from '../http/html.js';
import { type Link, linksIn } from '../words/footer-links.js';
import type { Language } from '../words/language.js';
import { Languages } from '../words/languages.js';
import { Word } from '../words/words.js';
import { Assets } from './assets.js';
import type { Script } from './bundle.js';
import type { Facts } from './facts.js';

/** Where a page belongs: to the account, or to the console. */
type Area = 'ui' | 'admin';

/** A page before its script runs. */
export interface Document {
  markup: string;
  /** Another document has another one (RFC 9110 §8.8.3). */
  etag: string;
}

/** The one document that each page is before its script runs: the same for every visitor of a language, and a kilobyte long. */
@Injectable()
export class Shell {
  /** A few a language. */
  private readonly kept = new Map<string, Document>();

  constructor(
    private readonly environment: Environment,
    private readonly assets: Assets,
    private readonly languages: Languages,
  ) {}

  /** The document of a path such as `/ui/login`. Its addresses are relative: a proxy may serve the API under a path. */
  async document(path: string, script: Script, language: Language): Promise<Document> {
    const key = [language.tag, script, depthOf(path)].join();
    const kept = this.kept.get(key);
    if (kept) return kept;

    const markup = await this.write(path, script, language);
    const etag = `"${createHash('sha256').update(markup).digest('base64url').slice(0, 16)}"`;
    const document = { markup, etag };
    // A build may replace the files that it names.
    if (this.environment.environment !== 'dev') this.kept.set(key, document);
    return document;
  }

  private async write(path: string, script: Script, language: Language): Promise<string> {
    const area = path.startsWith('/admin') ? 'admin' : 'ui';
    const { assets, names, head, opening } = await this.parts(path, area, language);
    const imports = await this.assets.importsOf(script);
    // Named here, they load beside the script and not after it.
    const preloads = imports.map((name) => html`<link rel="modulepreload" href="${assets}${name}">\n`);
    const words = await this.assets.wordsOf(script, language);
    return html`${opening}
<head>
${head}
<link rel="preload" as="fetch" crossorigin href="${assets}${words}">
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
  async missing(path: string, area: Area, language: Language): Promise<string> {
    const { productName, productLogoUrl } = this.environment;
    const { root, assets, names, head, opening } = await this.parts(path, 'ui', language);
    const home = homeUrlOf(this.environment) ?? `${root}ui/account`;
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
${footer(linksIn(language.tag, this.environment))}</div>
</body>
</html>
`.markup;
  }

  /** What every document has, and how its addresses begin. */
  private async parts(path: string, area: Area, { tag, direction }: Language) {
    const facts = JSON.stringify(factsOf(this.environment, this.languages, tag));
    const { productName, productLogoUrl } = this.environment;
    const names = await this.assets.names();
    const root = '../'.repeat(depthOf(path));
    const assets = `${root}ui/assets/`;
    // The last wins: the product's own, over its colour, over ours.
    const sheets = [names.theme, names.own].filter((name) => name !== null);
    const head = html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="latchkey" content="${facts}">
<title>${productName}</title>
<link rel="icon" href="${productLogoUrl ?? `${assets}${names.mark}`}">
${productLogoUrl === undefined ? null : html`<link rel="apple-touch-icon" href="${productLogoUrl}">\n`}<link rel="stylesheet" href="${assets}${names[`${area}-style`]}">
${sheets.map((name) => html`<link rel="stylesheet" href="${assets}${name}">`)}`;
    const opening = html`<!doctype html>
<html lang="${tag}" dir="${direction}">`;
    return { root, assets, names, head, opening };
  }
}

/** What the pages write of themselves where they have a script. */
function footer(links: Link[]): Html | null {
  if (links.length === 0) return null;
  const written = links.map(({ url, label, tag }) =>
    tag === undefined
      ? html`<a href="${url}">${label}</a>\n`
      : html`<a href="${url}" lang="${tag}" dir="auto">${label}</a>\n`,
  );
  return html`<footer>\n${written}</footer>\n`;
}

/** How many folders down a path is. */
function depthOf(path: string): number {
  return path.split('/').length - 2;
}

function factsOf(environment: Environment, { all }: Languages, tag: string): Facts {
  const { productName, productLogoUrl, supportEmail, termsUrl, privacyUrl } = environment;
  const rpId = relyingPartyId(environment);
  const links = linksIn(tag, environment);
  return {
    product: productName,
    logoUrl: productLogoUrl ?? null,
    supportEmail: supportEmail ?? null,
    termsUrl: termsUrl ? inLanguage(termsUrl, tag) : null,
    privacyUrl: privacyUrl ? inLanguage(privacyUrl, tag) : null,
    homeUrl: homeUrlOf(environment),
    origins: [...allowedOrigins(environment)],
    passwordMinLength: environment.passwordMinLength,
    hasPasskeys: rpId !== null && mayUseRpId(new URL(environment.baseApiUrl).hostname, rpId),
    isB2b: environment.appMode === 'b2b',
    orgsPerUser: environment.orgsPerUser,
    orgUrl: environment.orgUrl ?? null,
    hasBilling: environment.stripeSecretKey !== undefined,
    hasActing: environment.acting === 'on',
    hasAi: isAiOn(environment),
    ...(links.length > 0 && { links }),
    ...(all.length > 1 && { languages: all.map(({ tag, name }) => [tag, name]) }),
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
