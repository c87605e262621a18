import type { ComponentChildren } from 'preact';
import { addressOf } from '../parts/facts.js';
import { figure } from '../parts/figure.js';
import { CHECK, Icon, WARNING } from '../parts/icons.js';
import { Rich, say, strong, Word } from '../parts/say.js';
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
        <Icon lines={CHECK} />
        <p>
          <Rich word={Word['attention.none']} given={{ strong }} />
        </p>
      </div>
    );
  return (
    <ul class="card findings">
      {findings.map(({ words, note, path }) => (
        <li key={note}>
          <a href={addressOf(path)}>
            <Icon lines={WARNING} />
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
      words: say(Word['attention.behind']),
      note: say(Word['attention.behind.do']),
      path: 'admin/system',
    },
    database.migrations === 'ahead' && {
      words: say(Word['attention.ahead']),
      note: say(Word['attention.ahead.do']),
      path: 'admin/system',
    },
    mail.key_refused && {
      words: say(Word['attention.key']),
      note: say(Word['attention.key.do']),
      path: 'admin/system',
    },
    dead > 0 && {
      words: say(Word['attention.dead'], { count: dead, figure: figure(dead, MOST_MAILS) }),
      note: say(Word['attention.dead.do']),
      path: 'admin/mail?state=dead',
    },
    cron.is_late && {
      words: cron.last_success_at ? (
        <Rich
          word={Word['attention.cron']}
          given={{ when: <Time at={cron.last_success_at} as="moment" /> }}
        />
      ) : (
        say(Word['attention.cronNever'])
      ),
      note: say(Word['attention.cron.do']),
      path: 'admin/system',
    },
    unread > 0 && {
      words: say(Word['attention.unread'], { count: unread }),
      note: say(Word['attention.unread.do']),
      path: 'admin/billing',
    },
    admins.total === 1 && {
      words: say(Word['attention.oneAdmin']),
      note: say(Word['attention.oneAdmin.do']),
      path: 'admin/users?role=sys_admin',
    },
    admins.without_factor > 0 && {
      words: say(Word['attention.weakAdmins'], { count: admins.without_factor }),
      note: say(Word['attention.weakAdmins.do']),
      path: 'admin/users?role=sys_admin',
    },
  ];
  return findings.filter((finding) => finding !== false);
}
