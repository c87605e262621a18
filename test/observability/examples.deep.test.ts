import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn, PASSWORD } from '../support/accounts.js';
import { TestApp } from '../support/test-app.js';
import { webhooks } from '../support/webhooks.js';
import { describeWithPromtool, promtool } from './promtool.js';
import { scrape, TOKEN } from './scrape.js';

const RULES = 'docs/observe/alerts.yaml';
const UNIT_TESTS = 'docs/observe/alerts.test.yaml';
const CRON_SECRET = 'the secret of the scheduler and of the tests';

/** The labels that Prometheus gives to every series of a target. */
const OF_TARGET = ['job', 'instance'];

const rules = readFileSync(RULES, 'utf8');
const unitTests = readFileSync(UNIT_TESTS, 'utf8');
const dashboard: Dashboard = JSON.parse(readFileSync('docs/observe/dashboard.json', 'utf8'));

interface Dashboard {
  panels: { type: string; title: string; targets?: { expr: string; legendFormat: string }[] }[];
}

/** An expression, with the texts that name its labels. */
interface Expression {
  expr: string;
  texts: string;
}

const ofRules: Expression[] = rules
  .split(/^ +- alert: /m)
  .slice(1)
  .map((rule) => ({ expr: /expr: (?:>-)?([\s\S]*?)\n +(?:for|labels):/.exec(rule)?.[1] ?? '', texts: rule }));
const ofDashboard: Expression[] = dashboard.panels.flatMap(({ targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ expr, texts: legendFormat })),
);

/** The series of a service that has been used: what it counts, and how each of them is labelled. */
let series: Map<string, Record<string, string>[]>;
beforeAll(async () => {
  const app = await TestApp.start({
    SVC_METRICS_TOKEN: TOKEN,
    SVC_CRON_SECRET: CRON_SECRET,
    ...webhooks({}),
  });
  const { email } = await loggedIn(app);
  await app.browser().post('/auth/login', { email, password: 'a wrong password' });
  await app.database.whileDown(() => app.browser().post('/auth/login', { email, password: PASSWORD }));
  await app.browser({ authorization: `Bearer ${CRON_SECRET}` }).post('/cron');
  await app.database.rows(`INSERT INTO outbox_mails (id, kind, recipient, subject, due_at)
    VALUES (gen_random_uuid(), 'verification', 'ada@example.com', 'Waiting', now() + interval '1 day')`);
  series = seriesIn(await scrape(app));
  await app.close();
});

function seriesIn(figures: Map<string, number>): Map<string, Record<string, string>[]> {
  const found = new Map<string, Record<string, string>[]>();
  for (const [name = '', labels = ''] of [...figures.keys()].map((key) => key.split('{')))
    found.set(name, [...(found.get(name) ?? []), Object.fromEntries(pairsIn(labels))]);
  return found;
}

function pairsIn(labels: string): [string, string][] {
  return [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', value = '']) => [label, value]);
}

/** What an expression names that no figure of the service has. */
function unknownIn({ expr, texts }: Expression): string[] {
  const selectors = [...expr.matchAll(/\b((?:latchkey|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)];
  const known = new Set([...OF_TARGET, ...selectors.flatMap(([, name = '']) => labelsOf(name))]);
  const grouped = [...expr.matchAll(/\b(?:by|on|group_left) \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(', '),
  );
  const named = [...texts.matchAll(/(?:\{\{|\$labels\.)(\w+)/g)].map(([, label = '']) => label);
  return [
    ...selectors.filter(([, name = '']) => !series.has(name)).map(([, name = '']) => name),
    ...selectors.flatMap(([, name = '', matchers = '']) => unmatched(name, matchers)),
    ...[...grouped, ...named].filter((label) => !known.has(label)),
  ];
}

/** As Prometheus has them: a label that a target's own would hide is renamed. */
function labelsOf(name: string): string[] {
  const labels = (series.get(name) ?? []).flatMap((each) => Object.keys(each));
  return labels.map((label) => (OF_TARGET.includes(label) ? `exported_${label}` : label));
}

/** The matchers of a selector that fit no series, or ask for a label that there is not. */
function unmatched(name: string, matchers: string): string[] {
  const all = series.get(name) ?? [];
  return [...matchers.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)]
    .filter(([, label = '']) => !OF_TARGET.includes(label))
    .filter(([, label = '', operator = '', value = '']) => {
      const values = all.flatMap((each) => each[label] ?? []);
      const fits = (one: string) =>
        operator.endsWith('~') ? new RegExp(`^(${value})$`).test(one) : one === value;
      return operator.startsWith('!') ? values.length === 0 : !values.some(fits);
    })
    .map(([matcher]) => `${name}{${matcher}}`);
}

describe('the alerts and the dashboard for Prometheus and Grafana', () => {
  it('name only metrics and labels that a service in use has', () => {
    const unknown = [...ofRules, ...ofDashboard].flatMap((expression) => unknownIn(expression));
    expect(unknown).toEqual([]);
    expect(ofRules.every(({ expr }) => expr.trim() !== '')).toBe(true);
  });

  it('have 17 panels in five rows, each with an expression', () => {
    const rows = dashboard.panels.filter(({ type }) => type === 'row');
    const panels = dashboard.panels.filter(({ type }) => type !== 'row');
    expect([rows.length, panels.length]).toEqual([5, 17]);
    for (const { targets } of panels) expect(targets).not.toEqual([]);
  });

  it('have a unit test and a line of what to do for each alert', () => {
    const page = readFileSync('docs/observe.md', 'utf8');
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);

    expect(alerts.length).toBeGreaterThan(10);
    for (const alert of alerts) {
      expect(unitTests).toMatch(new RegExp(`alertname: ${alert}\\n +exp_alerts:\\n`));
      expect(unitTests).toMatch(new RegExp(`alertname: ${alert}\\n +exp_alerts: \\[\\]\\n`));
      expect(page).toContain(`| \`${alert}\` |`);
    }
  });
});

describeWithPromtool('the alerts and the dashboard, as promtool judges them', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-promtool-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('have rules that Prometheus can load, and that fire when they should', () => {
    expect(promtool(['check', 'rules', RULES])).toMatchObject({ status: 0 });
    expect(promtool(['test', 'rules', UNIT_TESTS])).toMatchObject({ status: 0 });
  });

  it('have panels whose expressions Prometheus can read', () => {
    const expressions = ofDashboard.map(({ expr }, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$job', 'latchkey').replaceAll('$__rate_interval', '5m'),
    }));
    const file = join(folder, 'dashboard.json');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: expressions }] }));

    expect(promtool(['check', 'rules', file])).toMatchObject({ status: 0 });
  });
});
