import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { preflight } from '../../src/config/preflight/preflight.js';
import { unknownSettings } from '../../src/config/preflight/unknown-settings.js';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { TestApp } from '../support/test-app.js';

type Variables = Record<string, string>;

/** How long the service takes to finish the requests in flight, with some time to end. */
const ENDING_SECONDS = 30;

const read = (file: string) => readFileSync(`docs/deploy/${file}`, 'utf8');
const caddyfile = read('Caddyfile');
const unit = read('latchkey.service');
const dockerfile = readFileSync('Dockerfile', 'utf8');
const compose = parse(read('compose.yaml'), { merge: true });
const kubernetes = parseAllDocuments(read('kubernetes.yaml')).map((document) => document.toJS());
const ofKind = (kind: string, name = 'latchkey') =>
  kubernetes.find((each) => each.kind === kind && each.metadata.name === name);
const pod = ofKind('Deployment').spec.template.spec;
const [migrating] = pod.initContainers;
const [serving] = pod.containers;

/** The value of a line of the unit. */
const inUnit = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';
const secret = () => randomBytes(32).toString('base64');
const seconds = (duration: string) => Number(/^(\d+)s?$/.exec(duration)?.[1]);

/** What an operator puts in place of the placeholders of the manifest. */
const SECRETS: Variables = {
  SVC_JWT_SECRET_KEY: secret(),
  SVC_SMTP_PASSWORD: secret(),
  SVC_METRICS_TOKEN: secret(),
};
const CHOSEN: Variables = {
  WEB_HOST: 'app.initech.com',
  API_HOST: 'api.initech.com',
  SMTP_HOST: 'smtp.initech.com',
  SMTP_USER: 'latchkey',
  SENDER_ADDRESS: 'no-reply@initech.com',
};

/** Where make-secrets.sh has written the secrets of the compose file. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-compose-'));
  const script = resolve('docs/deploy/make-secrets.sh');
  execFileSync(script, { cwd: folder, input: 'a password of the SMTP user\n', stdio: 'pipe' });
});
afterAll(() => rm(folder, { recursive: true }));

/** The variables of a service of the compose file, with what an operator chooses, and the files of the secrets. */
function variablesOf(service: string): Variables {
  const { environment, secrets } = compose.services[service];
  const chosen = (value: string) => value.replace(/\$\{(\w+):\?[^}]+\}/g, (_, name) => CHOSEN[name] ?? '');
  const fileOf = (name: string) =>
    secrets.includes(name) ? join(folder, compose.secrets[name].file) : `/run/secrets/${name}`;
  return Object.fromEntries(
    Object.entries<string>(environment).map(([name, value]) => [
      name,
      value.startsWith('/run/secrets/') ? fileOf(value.slice('/run/secrets/'.length)) : chosen(value),
    ]),
  );
}

/** The variables of a container of the manifest. */
function variablesIn({ envFrom }: typeof serving): Variables {
  return Object.assign(
    {},
    ...envFrom.map(({ configMapRef, secretRef }: typeof serving) =>
      configMapRef ? ofKind('ConfigMap').data : ofKind('Secret', secretRef.name).stringData,
    ),
  );
}

/** A manifest's variables with secrets of their own. */
const withSecrets = (variables: Variables): Variables =>
  Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      value.includes('replace-me') && !value.startsWith('postgres:') ? (SECRETS[name] ?? '') : value,
    ]),
  );

describe('the compose file', () => {
  it('configures a service that the preflight finds no fault with', () => {
    expect(preflight(parseEnvironment(variablesOf('latchkey')))).toEqual([]);
    expect(unknownSettings(variablesOf('latchkey'))).toEqual([]);
  });

  it('asks for what only the operator knows, and keeps the secrets out of the repository', () => {
    for (const name of Object.keys(CHOSEN)) expect(read('compose.yaml')).toContain(`\${${name}:?`);
    for (const { file } of Object.values<{ file: string }>(compose.secrets)) {
      expect(dirname(file)).toBe('./secrets');
      expect(existsSync(join(folder, file))).toBe(true);
    }
    expect(readFileSync('.gitignore', 'utf8')).toContain('\ndocs/deploy/secrets/\n');
  });

  it('hands no flag to Node that a newer one could refuse; the image names its Node beside its own', () => {
    expect(inUnit('ExecStart')).not.toContain('--');
    expect(dockerfile).toMatch(/^ARG NODE=node:\d+-.+@sha256:/m);
  });

  it('gives the owner only to the container that migrates and to the database', () => {
    const knows = Object.entries<{ secrets?: string[] }>(compose.services)
      .filter(([, { secrets = [] }]) => secrets.includes('database_owner_url'))
      .map(([name]) => name);

    expect(knows).toEqual(['migrate', 'database']);
    expect(parseEnvironment(variablesOf('latchkey')).databaseOwnerUrl).toBeUndefined();
    expect(parseEnvironment(variablesOf('migrate')).databaseOwnerUrl).toMatch(
      /^postgres:\/\/latchkey_owner:/,
    );
  });

  it('gives the roles the passwords of the addresses', () => {
    const scripts = [...compose.configs.passwords.content.matchAll(/`(sed .+) \/run\/secrets\/(\w+)`/g)];

    const passwords = scripts.map(([, sed, name]) =>
      execFileSync('sh', ['-c', `${sed} secrets/${name}`], { cwd: folder, encoding: 'utf8' }).trim(),
    );
    const { databaseOwnerUrl = '', databaseUrl = '' } = parseEnvironment(variablesOf('migrate'));
    expect(passwords).toEqual([databaseOwnerUrl, databaseUrl].map((url) => /:([\da-f]{64})@/.exec(url)?.[1]));
  });

  it('publishes only the port of Caddy, whose address alone is believed', () => {
    const published = Object.entries<{ ports?: string[] }>(compose.services).filter(([, { ports }]) => ports);

    expect(published.map(([name]) => name)).toEqual(['caddy']);
    expect(published[0]?.[1].ports).toEqual(['443:443', '443:443/udp']);
    expect(compose.services.caddy.networks.service.ipv4_address).toBe(
      variablesOf('latchkey').SVC_TRUSTED_PROXIES,
    );
  });

  it('waits longer for the end of the service than the service takes, and names a version of each image', () => {
    const { stopDelaySeconds } = parseEnvironment(variablesOf('latchkey'));

    expect(seconds(compose.services.latchkey.stop_grace_period)).toBeGreaterThan(
      stopDelaySeconds + ENDING_SECONDS,
    );
    for (const { image, build } of Object.values<{ image: string; build?: string }>(compose.services))
      expect(build ?? image).toMatch(/^(\.\.\/\.\.|[\w/.-]+:\d[\w.-]*(@sha256:[0-9a-f]{64})?)$/);
  });
});

describe('the Caddyfile', () => {
  it('lets an idle connection end before the service closes it', () => {
    const { keepAliveSeconds } = parseEnvironment(variablesOf('latchkey'));
    expect(seconds(/keepalive (\w+)/.exec(caddyfile)?.[1] ?? '')).toBeLessThan(keepAliveSeconds);
  });

  it('forwards to the service where it listens', () => {
    const [, host, port] = /dynamic a (\w+) (\d+)/.exec(caddyfile) ?? [];
    expect(compose.services).toHaveProperty(host ?? '');
    expect(Number(port)).toBe(parseEnvironment(variablesOf('latchkey')).port);
  });
});

describe('the manifest for Kubernetes', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start();
  });
  afterAll(() => app.close());

  it('configures a service that the preflight finds no fault with', () => {
    const variables = withSecrets(variablesIn(serving));
    expect(preflight(parseEnvironment(variables))).toEqual([]);
    expect(unknownSettings(variables)).toEqual([]);
  });

  it('is refused with its placeholders', () => {
    expect(() => parseEnvironment(variablesIn(serving))).toThrow(/SVC_JWT_SECRET_KEY.+\n.+SVC_METRICS_TOKEN/);
  });

  it('hands no flag to Node that a newer one could refuse; the image names its Node beside its own', () => {
    expect(inUnit('ExecStart')).not.toContain('--');
    expect(dockerfile).toMatch(/^ARG NODE=node:\d+-.+@sha256:/m);
  });

  it('gives the owner only to the init container', () => {
    expect(variablesIn(serving)).not.toHaveProperty('SVC_DATABASE_OWNER_URL');
    expect(variablesIn(migrating)).toHaveProperty('SVC_DATABASE_OWNER_URL');
    expect(unknownSettings(variablesIn(migrating))).toEqual([]);
    expect(migrating.image).toBe(serving.image);
  });

  it('probes paths that the service answers', async () => {
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
      expect((await app.browser().get(serving[probe].httpGet.path)).status).toBe(200);
    expect(serving.ports).toEqual([{ name: 'http', containerPort: app.environment.port }]);
  });

  it('waits longer for the end of the service than the service takes', () => {
    const { stopDelaySeconds } = parseEnvironment(withSecrets(variablesIn(serving)));
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(stopDelaySeconds + ENDING_SECONDS);
  });

  it('gives the containers no right that they can do without, and no limit on the CPU', () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true });
    for (const { securityContext, resources, image } of [migrating, serving]) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(resources.limits).toEqual({ memory: '512Mi' });
      expect(image).toMatch(/:\d+\.\d+\.\d+$/);
    }
  });

  it('selects the pods by the label that they have', () => {
    const { labels } = ofKind('Deployment').spec.template.metadata;
    for (const { spec } of [ofKind('Deployment'), ofKind('PodDisruptionBudget')])
      expect(spec.selector.matchLabels).toEqual(labels);
    expect(ofKind('Service').spec.selector).toEqual(labels);
    expect(ofKind('NetworkPolicy').spec.podSelector.matchLabels).toEqual(labels);
  });
});

describe('the unit for systemd', () => {
  it('starts the service as npm start, the image and the documents do', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    const started = scripts.start.replace(/^exec /, '');

    expect(inUnit('ExecStart')).toBe(started);
    const inImage: string[] = JSON.parse(/^CMD (.+)$/m.exec(dockerfile)?.[1] ?? '[]');
    expect(inImage.filter((word) => !word.startsWith('--')).join(' ')).toBe(started);
    for (const page of ['docs/production.md', 'docs/product.md'])
      expect(readFileSync(page, 'utf8')).toContain(started);
  });

  it('hands no flag to Node that a newer one could refuse; the image names its Node beside its own', () => {
    expect(inUnit('ExecStart')).not.toContain('--');
    expect(dockerfile).toMatch(/^ARG NODE=node:\d+-.+@sha256:/m);
  });

  it('gives the owner only to the command that migrates, and names settings that there are', () => {
    const names = [...unit.matchAll(/\b(SVC_\w+)/g)].map(([name]) => name);

    expect(inUnit('ExecStartPre')).toContain('SVC_DATABASE_OWNER_URL_FILE=');
    expect(inUnit('EnvironmentFile')).not.toBe('');
    expect(unknownSettings(Object.fromEntries(names.map((name) => [name, ''])))).toEqual([]);
  });

  it('waits longer for the end of the service than the longest delay and the requests in flight take', () => {
    expect(seconds(inUnit('TimeoutStopSec'))).toBeGreaterThanOrEqual(60 + ENDING_SECONDS);
  });

  it('leaves V8 the right to compile', () => {
    expect(inUnit('MemoryDenyWriteExecute')).toBe('');
  });
});
