import type { ComponentChildren } from 'preact';
import { counted } from '../parts/counted.js';
import { addressOf } from '../parts/facts.js';
import { Icon } from '../parts/icons.js';
import { Time } from '../parts/time.js';
import { MOST_MAILS } from './outbox-now.js';
import type { System } from './schemas.js';

interface Finding {
  words: ComponentChildren;
  /** What to do about it. */
  note: string;
  /** The screen that it leads to. */
  path: string;
}

/** What needs a person, the most urgent first, or that all is well. */
export function Attention({ system }: { system: System }) {
  const findings = findingsIn(system);
  if (findings.length === 0)
    return (
      <div class="card all-well">
        <Icon name="check" />
        <p>
          <strong>All is well.</strong> Nothing needs you.
        </p>
      </div>
    );
  return (
    <ul class="card findings">
      {findings.map(({ words, note, path }) => (
        <li key={note}>
          <a href={addressOf(path)}>
            <Icon name="warning" />
            <span>
              <strong>{words}</strong>
              <span class="note">{note}</span>
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function findingsIn({ mail, cron, billing, database, admins }: System): Finding[] {
  const { dead } = mail.states;
  const unread = billing?.unread_for_a_day ?? 0;
  const findings: (Finding | false)[] = [
    database.migrations === 'behind' && {
      words: 'The database lacks migrations of this version.',
      note: 'Run the migrations: until then this replica takes no requests.',
      path: 'admin/system',
    },
    database.migrations === 'ahead' && {
      words: 'The database is ahead of this version.',
      note: 'A newer version has run its migrations. Bring this replica up to date.',
      path: 'admin/system',
    },
    mail.key_refused && {
      words: 'The mail provider refuses the key.',
      note: 'No mail leaves until the key in the settings is right.',
      path: 'admin/system',
    },
    dead > 0 && {
      words: `${counted(dead, 'mail', MOST_MAILS)} could not be sent.`,
      note: 'Look at the reason, and send them again.',
      path: 'admin/mail?state=dead',
    },
    cron.is_late && {
      words: cron.last_success_at ? (
        <>
          The cron has not run since <Time at={cron.last_success_at} as="moment" />.
        </>
      ) : (
        'The cron has never run.'
      ),
      note: 'Old rows stay until it does. Look at what starts it, or run it now.',
      path: 'admin/system',
    },
    unread > 0 && {
      words: `${counted(unread, 'customer')} ${unread === 1 ? 'was' : 'were'} not read from Stripe for a day.`,
      note: 'What they pay for may have changed. Read them again.',
      path: 'admin/billing',
    },
    admins.total === 1 && {
      words: 'There is only one system admin.',
      note: 'If that account is lost, only the command line helps. Appoint a second one.',
      path: 'admin/users?role=sys_admin',
    },
    admins.without_factor > 0 && {
      words: `${counted(admins.without_factor, 'system admin')} ${admins.without_factor === 1 ? 'has' : 'have'} no second factor.`,
      note: 'A password that leaks would be enough to administer everything.',
      path: 'admin/users?role=sys_admin',
    },
  ];
  return findings.filter((finding) => finding !== false);
}
