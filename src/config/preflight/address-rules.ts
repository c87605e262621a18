import { coverTheInternet } from '../address-space.js';
import { arePagesOn } from '../pages.js';
import { isSameSite } from '../same-site.js';
import { variableName } from '../variable-name.js';
import type { Rule, Settings } from './finding.js';

const BROWSED = ['baseWebUrl', 'baseApiUrl', 'idpAuthorizationUrl', 'idpTokenUrl', 'idpUserinfoUrl'] as const;

export const ADDRESS_RULES: Rule[] = [
  {
    code: 'ADDRESS_NOT_HTTPS',
    severity: 'error',
    fix: 'Serve it over HTTPS, and write https:// here: no Secure cookie goes over http.',
    find: insecureAddresses,
  },
  {
    code: 'SITES_DIFFER',
    severity: 'error',
    fix: 'Serve both under one registrable domain, such as app.example.com and api.example.com.',
    find: ({ baseWebUrl, baseApiUrl }) =>
      baseWebUrl && baseApiUrl && !isSameSite(baseWebUrl, baseApiUrl)
        ? [
            'SVC_BASE_WEB_URL and SVC_BASE_API_URL are not of one site: the Strict session cookie would never arrive.',
          ]
        : [],
  },
  {
    code: 'ORIGIN_OF_ANOTHER_SITE',
    severity: 'error',
    fix: 'Name the origin of the single-page application, or leave SVC_CORS_ORIGINS to its default.',
    find: ({ corsOrigins = [], baseApiUrl }) =>
      corsOrigins
        .filter((origin) => baseApiUrl && !isSameSite(origin, baseApiUrl))
        .map(
          (origin) =>
            `SVC_CORS_ORIGINS names ${origin}, whose pages the Strict session cookie never comes from.`,
        ),
  },
  {
    code: 'ORIGIN_SHARED',
    severity: 'warning',
    fix: 'Give the service a host of its own, or set SVC_PAGES to off.',
    find: ({ baseApiUrl, environment = '', pages }) =>
      baseApiUrl && new URL(baseApiUrl).pathname !== '/' && arePagesOn({ environment, pages })
        ? [
            'SVC_BASE_API_URL has a path: other applications of that host could act for every user who is logged in.',
          ]
        : [],
  },
  {
    code: 'PROXY_TRUSTS_ALL',
    severity: 'warning',
    fix: 'Name the blocks that your proxies are in.',
    find: ({ trustedProxies = [] }) =>
      coverTheInternet(trustedProxies)
        ? [
            'SVC_TRUSTED_PROXIES trusts the internet, or half of it: a client that reaches the service without the proxy can claim any.',
          ]
        : [],
  },
];

function insecureAddresses(settings: Settings): string[] {
  const origins = (settings.corsOrigins ?? []).map((address) => ({ variable: 'SVC_CORS_ORIGINS', address }));
  const addresses = BROWSED.map((name) => ({ variable: variableName(name), address: settings[name] }));
  const issuers = (settings.idpOthers ?? []).map(({ issuer }, index) => ({
    variable: `${variableName('idpOthers')}[${index}].issuer`,
    address: issuer,
  }));
  return [...addresses, ...issuers, ...origins]
    .filter(({ address }) => address?.startsWith('http:'))
    .map(({ variable }) => `${variable} is an http:// address.`);
}
