import { Submit } from '../parts/button.js';
import { counted, figure } from '../parts/counted.js';
import { addressOf } from '../parts/facts.js';
import { Form } from '../parts/form.js';
import { Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import { announce } from '../parts/notice.js';
import { Row, Rows } from '../parts/rows.js';
import { Table } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { Screen } from './frame.js';
import { MOST_MAILS } from './outbox-now.js';
import { latchkey } from './service.js';

type Facts = Awaited<ReturnType<typeof latchkey.getSystem>>['system'];

const MIGRATIONS = {
  current: ['Up to date', 'good'],
  behind: ['Behind: migrations wait', 'danger'],
  ahead: ['Ahead: a newer version has migrated it', 'warn'],
} as const;

const TRIGGERS = {
  secret: 'A scheduler runs it, through /cron.',
  schedule: 'The schedule in the settings runs it.',
  both: 'A scheduler runs it, through /cron, and so does the schedule in the settings.',
  none: 'Nothing runs it: set SVC_CRON_SECRET or SVC_CRON_SCHEDULE.',
};

/** What runs, how well, and with which settings. */
export function System() {
  const system = useLoad(async () => (await latchkey.getSystem()).system);
  return (
    <Screen title="System" audience="sys_admin">
      {() => (
        <Loaded from={system} rows={8}>
          {(facts, again) => (
            <>
              <Instance {...facts} />
              <State {...facts} again={again} />
              <Settings settings={facts.settings} />
            </>
          )}
        </Loaded>
      )}
    </Screen>
  );
}

function Instance({ version, commit, environment, app_mode, instance, database }: Facts) {
  return (
    <Section name="service" title="Service">
      <Rows>
        <Row
          label="Version"
          note={
            <>
              Commit <code>{commit.slice(0, 12)}</code>
            </>
          }
        >
          {version} in <code>{environment}</code>, mode <code>{app_mode}</code>
        </Row>
        <Row
          label="Instance"
          note={
            <>
              Node {instance.node}, process {instance.pid}. Other instances may answer the next request.
            </>
          }
        >
          {instance.host}, since <Time at={instance.started_at} as="moment" />
        </Row>
        <Row label="Database" note={`PostgreSQL ${database.version}`}>
          <Badge state={MIGRATIONS[database.migrations]} />
        </Row>
      </Rows>
    </Section>
  );
}

function State({ health, cron, mail, billing, admins, again }: Facts & { again: () => Promise<void> }) {
  return (
    <Section name="state" title="State">
      <Rows>
        <Row label="Health" note={[...health.down, ...health.degraded].join(', ')}>
          <Badge state={stateOf(health)} />
        </Row>
        <Row
          label="Cron"
          note={TRIGGERS[cron.trigger]}
          acts={
            <Form
              act={async () => {
                const run = await latchkey.runCron();
                await again();
                announce(inWords(run));
              }}
            >
              <Submit weight="words" aria-label="Run it now: the cron">
                Run it now
              </Submit>
            </Form>
          }
        >
          {cron.is_late && <span class="badge warn">Late</span>}{' '}
          {cron.last_success_at ? (
            <>
              Last success <Time at={cron.last_success_at} />
            </>
          ) : (
            'It has not run yet.'
          )}
        </Row>
        <Row
          label="Mail"
          note={
            <a href={addressOf('admin/mail')}>
              {counted(mail.states.waiting, 'mail', MOST_MAILS)} waiting,{' '}
              {figure(mail.states.dead, MOST_MAILS)} failed
            </a>
          }
        >
          {mail.provider}
          {mail.fallback && `, or ${mail.fallback}`}
          {mail.key_refused && (
            <>
              {' '}
              <span class="badge danger">Key refused</span>
            </>
          )}
        </Row>
        {billing && (
          <Row
            label="Billing"
            note={
              billing.unread_for_a_day > 0 &&
              `${counted(billing.unread_for_a_day, 'customer')} not read for a day`
            }
          >
            <a href={addressOf('admin/billing')}>{counted(billing.customers, 'customer')}</a>, with{' '}
            {billing.mode === 'live' ? 'real' : 'test'} payments
          </Row>
        )}
        <Row
          label="System admins"
          note={admins.without_factor ? `${admins.without_factor} of them without a second factor` : ''}
        >
          <a href={addressOf('admin/users?role=sys_admin')}>{counted(admins.total, 'account')}</a>
        </Row>
      </Rows>
    </Section>
  );
}

/** What differs from the defaults first; the rest unfolds. */
function Settings({ settings }: Pick<Facts, 'settings'>) {
  const set = settings.filter(({ is_default }) => !is_default);
  const others = settings.filter(({ is_default }) => is_default);
  return (
    <Section name="settings" title="Settings">
      <p class="quiet">
        Of a secret you see a fingerprint: where two instances show the same one, they have the same secret.
      </p>
      <div class="card">
        <SettingsTable caption="Settings that differ from their default" settings={set} />
        <details>
          <summary class="inset">{others.length} settings have their default</summary>
          <SettingsTable caption="Settings that have their default" settings={others} />
        </details>
      </div>
    </Section>
  );
}

function SettingsTable({ caption, settings }: { caption: string } & Pick<Facts, 'settings'>) {
  return (
    <Table
      caption={caption}
      columns={['Setting', 'Value']}
      rows={settings.map(({ name, value, fingerprint }) => ({
        key: name,
        cells: [
          <code key="name">{name}</code>,
          fingerprint === null ? (
            <code key="value">{value ?? '–'}</code>
          ) : (
            <span key="value">
              Secret, fingerprint <code>{fingerprint}</code>
            </span>
          ),
        ],
      }))}
    />
  );
}

function Badge({ state: [words, look] }: { state: readonly [string, string] }) {
  return <span class={`badge ${look}`}>{words}</span>;
}

function stateOf({ down, degraded }: Facts['health']): readonly [string, string] {
  if (down.length > 0) return ['Down', 'danger'];
  return degraded.length > 0 ? ['Degraded', 'warn'] : ['All is well', 'good'];
}

function inWords({
  skipped,
  complete,
  pruned,
  reconciled,
  duration_ms,
}: Awaited<ReturnType<typeof latchkey.runCron>>): string {
  if (skipped) return 'Another run is under way, so this one did nothing.';
  const deleted = Object.values(pruned).reduce((sum, count) => sum + count, 0);
  const corrected = reconciled ? ` Customers set right at Stripe: ${reconciled.corrected}.` : '';
  const rest = complete ? '' : ' It did not get through everything: the next run goes on.';
  return `The cron ran for ${(duration_ms / 1000).toFixed(1)} s. Expired rows that it deleted: ${deleted}.${corrected}${rest}`;
}
