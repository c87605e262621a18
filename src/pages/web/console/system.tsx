import type { ComponentChildren } from 'preact';
import { Submit } from '../parts/button.js';
import { addressOf } from '../parts/facts.js';
import { figure } from '../parts/figure.js';
import { Form } from '../parts/form.js';
import { Section } from '../parts/frame.js';
import { Loaded, useLoad } from '../parts/load.js';
import { locale } from '../parts/locale.js';
import { announce } from '../parts/notice.js';
import { Row, Rows } from '../parts/rows.js';
import { linkTo, Rich, say, Word } from '../parts/say.js';
import { Table } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { Screen } from './frame.js';
import { MOST_MAILS } from './outbox-now.js';
import { latchkey } from './service.js';

type Facts = Awaited<ReturnType<typeof latchkey.getSystem>>['system'];

/** The looks of the badges. */
const LOOKS = {
  current: 'good',
  behind: 'danger',
  ahead: 'warn',
  well: 'good',
  degraded: 'warn',
  down: 'danger',
};

const code = (inner: ComponentChildren) => <code>{inner}</code>;

/** What runs, how well, and with which settings. */
export function System() {
  const system = useLoad(async () => (await latchkey.getSystem()).system);
  return (
    <Screen title={say(Word['frame.section'], { section: 'system' })} audience="sys_admin">
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
  const { host, node, pid, started_at } = instance;
  return (
    <Section name="service" title={say(Word['system.service'])}>
      <Rows>
        <Row
          label={say(Word['system.version'])}
          note={<Rich word={Word['system.commit']} given={{ id: commit.slice(0, 12), code }} />}
        >
          <Rich word={Word['system.versionOf']} given={{ version, environment, mode: app_mode, code }} />
        </Row>
        <Row
          label={say(Word['system.instance'])}
          note={say(Word['system.process'], { version: node, process: String(pid) })}
        >
          <Rich
            word={Word['system.instanceOf']}
            given={{ host, when: <Time at={started_at} as="moment" />, code }}
          />
        </Row>
        <Row
          label={say(Word['system.database'])}
          note={say(Word['system.postgres'], { version: database.version })}
        >
          <Badge look={LOOKS[database.migrations]}>
            {say(Word['system.migrations'], { migrations: database.migrations })}
          </Badge>
        </Row>
      </Rows>
    </Section>
  );
}

function State({ health, cron, mail, billing, admins, again }: Facts & { again: () => Promise<void> }) {
  const failing = [...health.down, ...health.degraded];
  const condition = conditionOf(health);
  return (
    <Section name="state" title={say(Word['system.state'])}>
      <Rows>
        <Row
          label={say(Word['system.health'])}
          note={failing.length > 0 && <span lang="en">{failing.join(', ')}</span>}
        >
          <Badge look={LOOKS[condition]}>{say(Word['system.healthOf'], { health: condition })}</Badge>
        </Row>
        <Row
          label={say(Word['system.cron'])}
          note={<Rich word={Word['system.trigger']} given={{ trigger: cron.trigger, code }} />}
          acts={
            <Form
              act={async () => {
                const run = await latchkey.runCron();
                await again();
                announce(inWords(run));
              }}
            >
              <Submit weight="words" aria-label={say(Word['system.runNamed'])}>
                {say(Word['system.run'])}
              </Submit>
            </Form>
          }
        >
          {cron.is_late && <Badge look="warn">{say(Word['system.late'])}</Badge>}{' '}
          {cron.last_success_at ? (
            <Rich word={Word['system.lastRun']} given={{ when: <Time at={cron.last_success_at} /> }} />
          ) : (
            say(Word['system.neverRun'])
          )}
        </Row>
        <Row
          label={say(Word['system.mail'])}
          note={
            <a href={addressOf('admin/mail')}>
              {say(Word['system.mails'], {
                count: mail.states.waiting,
                figure: figure(mail.states.waiting, MOST_MAILS),
              })}{' '}
              {say(Word['system.failedMails'], {
                count: mail.states.dead,
                figure: figure(mail.states.dead, MOST_MAILS),
              })}
            </a>
          }
        >
          {mail.fallback
            ? say(Word['system.eitherProvider'], { provider: mail.provider, fallback: mail.fallback })
            : say(Word['system.provider'], { provider: mail.provider })}{' '}
          {mail.key_refused && <Badge look="danger">{say(Word['system.keyRefused'])}</Badge>}
        </Row>
        {billing && (
          <Row
            label={say(Word['system.billing'])}
            note={
              billing.unread_for_a_day > 0 && say(Word['system.unread'], { count: billing.unread_for_a_day })
            }
          >
            <Rich
              word={Word['system.customers']}
              given={{
                count: billing.customers,
                payments: billing.mode,
                link: linkTo(addressOf('admin/billing')),
              }}
            />
          </Row>
        )}
        <Row
          label={say(Word['system.admins'])}
          note={admins.without_factor > 0 && say(Word['system.weakAdmins'], { count: admins.without_factor })}
        >
          <a href={addressOf('admin/users?role=sys_admin')}>
            {say(Word['system.accounts'], { count: admins.total })}
          </a>
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
    <Section name="settings" title={say(Word['system.settings'])}>
      <p class="quiet">{say(Word['system.secrets'])}</p>
      <div class="card">
        <SettingsTable caption={say(Word['system.differ'])} settings={set} />
        <details>
          <summary class="inset">{say(Word['system.defaultsCount'], { count: others.length })}</summary>
          <SettingsTable caption={say(Word['system.defaults'])} settings={others} />
        </details>
      </div>
    </Section>
  );
}

function SettingsTable({ caption, settings }: { caption: string } & Pick<Facts, 'settings'>) {
  return (
    <Table
      caption={caption}
      columns={[say(Word['system.setting']), say(Word['system.value'])]}
      rows={settings.map(({ name, value, fingerprint }) => ({
        key: name,
        cells: [
          <code key="name">{name}</code>,
          fingerprint === null ? (
            <code key="value">{value ?? '–'}</code>
          ) : (
            <span key="value">
              <Rich word={Word['system.fingerprint']} given={{ id: fingerprint, code }} />
            </span>
          ),
        ],
      }))}
    />
  );
}

function Badge({ look, children }: { look: string; children: string }) {
  return <span class={`badge ${look}`}>{children}</span>;
}

function conditionOf({ down, degraded }: Facts['health']): 'well' | 'degraded' | 'down' {
  if (down.length > 0) return 'down';
  return degraded.length > 0 ? 'degraded' : 'well';
}

function inWords({
  skipped,
  complete,
  pruned,
  reconciled,
  duration_ms,
}: Awaited<ReturnType<typeof latchkey.runCron>>): string {
  if (skipped) return say(Word['system.skipped']);
  const count = Object.values(pruned).reduce((sum, each) => sum + each, 0);
  const seconds = (duration_ms / 1000).toLocaleString(locale, { maximumFractionDigits: 1 });
  const sentences = [
    say(Word['system.ran'], { count, seconds }),
    reconciled && say(Word['system.corrected'], { count: reconciled.corrected }),
    !complete && say(Word['system.incomplete']),
  ];
  return sentences.filter(Boolean).join(' ');
}
